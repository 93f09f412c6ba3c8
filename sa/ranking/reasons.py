"""Why something comes to an end: all threads together, at their joint control points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom, Ends
from sa.automata.rename import apart
from sa.base.limits import Limits
from sa.certificates.ends import Part, Ranked
from sa.conditions.never import at_places
from sa.ranking.facts import facts_at, with_signs
from sa.ranking.points import Graph, graph_of_all, open_at
from sa.ranking.stages import Left, part_of
from sa.smt.session import Session
from sa.terms.build import FALSE, constant, land
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: How many joint points are looked at.
MOST = 1_500


def _with_facts(graph: Graph, ends: Ends, roots: Sequence[int], session: Session) -> Part | Left:
    """A reason with what seems to hold at points: differences first, then signs, too."""
    facts = facts_at(graph, session.bounds)
    found = part_of(graph, ends, facts, roots, session)
    if isinstance(found, Left):
        more = with_signs(graph, facts, session)
        found = part_of(graph, ends, more, roots, session) if more != facts else found
    return found


def _nothing(graph: Graph) -> tuple[tuple[Term, ...], ...]:
    return tuple(() for _ in graph.points)


def together(
    threads: tuple[Automaton, ...], axioms: tuple[Axiom, ...], ends: Ends, bounds: Limits, seed: int
) -> Ranked | Left | None:
    """A reason of all threads together; where there is none; None where they have too many points.

    Raises LimitReached.
    """
    session = Session(bounds, tuple(a.formula for a in axioms), seed)
    graph = graph_of_all(threads, tuple(map(apart, threads)), ends, MOST, session)
    if graph is None:
        return None
    roots = graph.starts if ends.until is None else tuple(_open_points(graph, ends))
    found = part_of(graph, ends, _nothing(graph), roots, session)
    if isinstance(found, Left):
        found = _with_facts(graph, ends, roots, session)
    return Ranked(threads, ends, found, (), axioms) if isinstance(found, Part) else found


def _open_points(graph: Graph, ends: Ends) -> Iterator[int]:
    """The points at which the claim may begin to be open."""
    names = [graph.separate[n].name for n in graph.threads]
    for number, point in enumerate(graph.points):
        values: dict[Var, Term] = {v: constant(x, v.sort) for v, x in point.values}
        since = substitute(at_places(ends.since, dict(zip(names, point.places, strict=True))), values)
        if land(since, open_at(graph, ends, number)) is not FALSE:
            yield number
