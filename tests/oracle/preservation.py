"""Whether a program preserves that runs end, or that nobody is stuck: word by word, for programs with one start.

For each sequence of visible actions, the states of either program that runs with these actions reach are looked at as
a whole; sequences that lead to the same two sets of states are looked at once.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from sa.automata.automaton import Automaton, Edge
from sa.terms.evaluate import evaluate, holds
from sa.terms.term import sort_of
from tests.oracle.endings import Graph, State, along, scope, values

Seen = tuple[str, tuple[str, ...], tuple[object, ...]] | None


class Labelled(NamedTuple):
    """A graph with what is seen of each step."""

    graph: Graph
    steps: dict[State, tuple[tuple[Seen, State], ...]]


def labelled(g: Graph) -> Labelled:
    """The graph with labels."""
    steps: dict[State, tuple[tuple[Seen, State], ...]] = {}
    for state in g.steps:
        found: list[tuple[Seen, State]] = []
        for number, thread in enumerate(g.threads):
            for edge in thread.edges:
                if edge.source == state.places[number]:
                    found += _seen(g.threads, state, number, edge)
        steps[state] = tuple(found)
    return Labelled(g, steps)


def _seen(threads: tuple[Automaton, ...], state: State, number: int, edge: Edge) -> list[tuple[Seen, State]]:
    if edge.label is None:
        return [(None, after) for after in along(threads, state, number, edge)]
    found: list[tuple[Seen, State]] = []
    for chosen in product(*map(values, edge.choices)):
        before = scope(threads, state, number) | dict(zip((c.var for c in edge.choices), chosen, strict=True))
        if holds(edge.guard, before):
            shown = tuple(evaluate(t, before) for t in edge.label.values)
            seen = (edge.label.action, tuple(sort_of(t).name for t in edge.label.values), shown)
            found += [(seen, after) for after in along(threads, state, number, edge)]
    return found


def _silently(one: Labelled, states: frozenset[State]) -> frozenset[State]:
    known, frontier = set(states), list(states)
    while frontier:
        for seen, after in one.steps[frontier.pop()]:
            if seen is None and after not in known:
                known.add(after)
                frontier.append(after)
    return frozenset(known)


def _goes_on(one: Labelled, state: State) -> bool:
    """Whether silent steps may go on for ever: among those that they lead to, one leads back to itself."""
    behind = _silently(one, frozenset((state,)))
    return any(s in _silently(one, frozenset(after for seen, after in one.steps[s] if seen is None)) for s in behind)


def _is_stuck(one: Labelled, state: State) -> bool:
    over = all(all(e.source != q for e in t.edges) for t, q in zip(one.graph.threads, state.places, strict=True))
    return not one.steps[state] and not over


def preserves(abstract: Graph, concrete: Graph, termination: bool, loops_end: bool = False) -> bool:
    """Whether it is preserved, of programs with one start each.

    Where abstract `loops_end`, a run of it that goes on for ever silently is undefined, and then anything is right.
    """
    first, second = labelled(abstract), labelled(concrete)
    pending = [tuple(_silently(s, frozenset(s.graph.starts)) for s in (first, second))]
    known = set(pending)
    while pending:
        above, below = pending.pop()
        if loops_end and any(_goes_on(first, s) for s in above):
            continue
        if termination:
            bad = any(_goes_on(second, s) for s in below) and not any(_goes_on(first, s) for s in above)
        else:
            bad = any(_is_stuck(second, s) for s in below) and not any(not first.steps[s] for s in above)
        if bad:
            return False
        for seen in {seen for s in below for seen, _ in second.steps[s] if seen is not None}:
            following = tuple(
                _silently(one, frozenset(a for s in states for said, a in one.steps[s] if said == seen))
                for one, states in ((first, above), (second, below))
            )
            if following not in known:
                known.add(following)
                pending.append(following)
    return True
