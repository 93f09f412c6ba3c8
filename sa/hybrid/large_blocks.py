"""Fewer points: steps one after the other become one, where that makes no more of them.

What holds at a point that is gone is what its steps need so that the formulas of their targets hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from sa.hybrid.points import Graph, Point, Step
from sa.terms import build
from sa.terms.name import staged
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class Fused(Struct, frozen=True):
    """A graph with fewer points, and those that are gone with their steps then, the first one first."""

    graph: Graph
    gone: tuple[tuple[Point, tuple[Step, ...]], ...]


def fused(graph: Graph) -> Fused:
    """Points go where the steps through them are no more than those to and from them, and none of these chooses."""
    out = {p: list(steps) for p, steps in graph.steps.items()}
    into: dict[Point, list[Step]] = {p: [] for p in out}
    for steps in out.values():
        for step in steps:
            if step.target is not None:
                into[step.target].append(step)
    kept = {p for p, _ in graph.starts}
    gone = list[tuple[Point, tuple[Step, ...]]]()
    pending = list(out)
    while pending:
        here = pending.pop()
        if here not in out or here in kept or not _goes(here, into[here], out[here]):
            continue
        before, after = into.pop(here), out.pop(here)
        gone.append((here, tuple(after)))
        for step in after:
            if step.target is not None:
                into[step.target].remove(step)
        for first in before:
            out[first.source].remove(first)
            for second in after:
                made = after_another(first, second)
                if made.guard is not build.FALSE:
                    out[made.source].append(made)
                    if made.target is not None:
                        into[made.target].append(made)
        pending += dict.fromkeys((*(s.source for s in before), *(s.target for s in after if s.target is not None)))
    return Fused(Graph(graph.starts, {p: tuple(steps) for p, steps in out.items()}), tuple(gone))


def _goes(here: Point, before: list[Step], after: list[Step]) -> bool:
    if any(s.choices or s.target == here for s in after):
        return False
    return len(before) * len(after) <= len(before) + len(after)


def after_another(first: Step, second: Step) -> Step:
    """The two steps as one; choices of the second get other names."""
    apart: dict[Var, Term] = {c: build.variable(staged(c.name, len(first.arcs)), c.sort) for c in second.choices}
    scope = {**first.updates, **apart}
    # What the second writes and nobody reads any more has no longer the value of the first.
    forgotten = {v for arc in second.arcs for v in arc.updates}
    kept = {v: t for v, t in first.updates.items() if v not in forgotten}
    return Step(
        first.source,
        second.target,
        build.land(first.guard, substitute(second.guard, scope)),
        {**kept, **{v: substitute(t, scope) for v, t in second.updates.items()}},
        (*first.choices, *(v for v in apart.values() if isinstance(v, Var))),
        (*first.arcs, *second.arcs),
        second.bad,
    )


def restored(made: Fused, held: Mapping[Point, Term]) -> dict[Point, Term]:
    """The formulas of all points, those that are gone included."""
    found = dict(held)
    for point, steps in reversed(made.gone):
        found[point] = build.land(*_needs(steps, found))
    return found


def _needs(steps: tuple[Step, ...], found: Mapping[Point, Term]) -> Iterator[Term]:
    for step in steps:
        after = build.FALSE if step.target is None else found[step.target]
        yield build.implies(step.guard, substitute(after, step.updates))
