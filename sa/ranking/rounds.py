"""Refinement in which rounds of concrete loops are seen, and answered by abstract steps.

Certain silent concrete edges show that a round begins. Beside each silent abstract edge is a second one, which shows
the same. A weak simulation of these two programs is one of the programs themselves, in which such edges are never
answered by staying.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Label, edges_from
from sa.automata.components import on_cycles
from sa.certificates.goal import Goal
from sa.certificates.relation import AbstractPath, Relation

#: No name that a program can have.
_ROUND = Label("?round")


class Marked(Struct, frozen=True):
    """The goal in which rounds are seen, and which abstract edges the last ones of it are doubles of."""

    goal: Goal
    originals: tuple[int, ...]


def marked(goal: Goal, edges: Iterable[int]) -> Marked | None:
    """Those of the concrete edges that begin a round are seen; None where nothing abstract goes round."""
    heads = _closing(goal.concrete, frozenset(edges))
    silent = [n for n, e in enumerate(goal.abstract.edges) if e.label is None]
    circling = on_cycles([q.name for q in goal.abstract.locations], _leading([goal.abstract.edges[n] for n in silent]))
    originals = tuple(n for n in silent if _is_within(goal.abstract.edges[n], circling))
    if not originals or not heads:
        return None
    shown = tuple(replace(e, label=_ROUND) if n in heads else e for n, e in enumerate(goal.concrete.edges))
    doubled = (replace(goal.abstract.edges[n], label=_ROUND) for n in originals)
    concrete = replace(goal.concrete, edges=shown)
    return Marked(
        replace(goal, concrete=concrete, abstract=replace(goal.abstract, edges=(*goal.abstract.edges, *doubled))),
        originals,
    )


def _is_within(edge: Edge, circling: Mapping[str, int]) -> bool:
    return edge.source in circling and circling[edge.source] == circling.get(edge.target)


def unmarked(goal: Goal, seen: Marked, relation: Relation) -> Relation:
    """A relation of the goal in which rounds are seen as one of the goal itself."""
    names = (*range(len(goal.abstract.edges)), *seen.originals)

    def plain(path: AbstractPath) -> AbstractPath:
        return replace(path, edges=tuple(names[n] for n in path.edges))

    answers = tuple(replace(a, answers=tuple(map(plain, a.answers))) for a in relation.answers)
    return replace(relation, answers=answers)


def _leading(edges: Iterable[Edge]) -> Mapping[str, Sequence[str]]:
    found = dict[str, list[str]]()
    for edge in edges:
        found.setdefault(edge.source, []).append(edge.target)
    return found


def _closing(automaton: Automaton, edges: frozenset[int]) -> frozenset[int]:
    """Those of the edges that close a cycle of them in a depth-first search: without them there is none."""
    leaving = dict[str, list[int]]()
    for n in sorted(edges):
        leaving.setdefault(automaton.edges[n].source, []).append(n)
    found, done = set[int](), set[str]()
    for root in edges_from(automaton):
        if root in done:
            continue
        inside, work = {root}, [(root, iter(leaving.get(root, ())))]
        while work:
            here, rest = work[-1]
            number = next(rest, None)
            if number is None:
                work.pop()
                inside.discard(here)
                done.add(here)
                continue
            target = automaton.edges[number].target
            if target in inside:
                found.add(number)
            elif target not in done:
                inside.add(target)
                work.append((target, iter(leaving.get(target, ()))))
    return frozenset(found)
