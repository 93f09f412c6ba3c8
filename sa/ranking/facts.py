"""What seems to hold at control points: differences between variables, by propagation of zones.

Nothing is shown here. What a rank needs of it is a condition that the checker, or a proof of the ordinary kind, shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, permutations

from sa.base.limits import Limits
from sa.domains import zones
from sa.invariants.conjunctions import conjunctions
from sa.invariants.zone_propagation import VARIABLES, Leading, spread, thresholds
from sa.ranking.points import Graph
from sa.smt.horn import Atom, Clause
from sa.smt.session import Session
from sa.terms.build import FALSE, ONE, TRUE, ZERO, add, conjuncts, land, le
from sa.terms.compile import Row
from sa.terms.sort import INT
from sa.terms.term import Term, Var

#: How often a point may be looked at, on average.
_LOOKS = 40
#: How many questions there may be about signs in a round.
_QUESTIONS = 1_500


def facts_at(graph: Graph, bounds: Limits) -> tuple[tuple[Term, ...], ...]:
    """Formulas by point; FALSE where nothing seems to come. None but that where there is too much to look at.

    Raises LimitReached.
    """
    none = tuple(() for _ in graph.points)
    if len({v.var for t in graph.separate for v in t.variables}) > VARIABLES:
        return none
    leaving: dict[int, list[Leading[int]]] = {n: [] for n in range(len(graph.points))}
    tests = list[Term]()
    for step in graph.steps:
        source, _, _, target = step.passage
        tests += step.premise
        leaving[source].append((target, tuple(step.updates), zones.step(land(*step.premise), step.updates)))
    # Wherever others are, they may take any of their steps that their guards allow.
    for premise, updates in graph.disturbances:
        tests += premise
        for n, known in enumerate(graph.known):
            if updates:
                leaving[n].append((n, tuple(updates), zones.step(land(*premise, *known), updates)))
    starts = {n: z for n in graph.starts if (z := _meet(graph.init, graph.known[n])) is not None}
    most = _LOOKS * max(len(graph.points), 20)
    found = spread(starts, leaving, thresholds(tests), most, bounds) if starts else {}
    if not found:
        return none
    return tuple(zones.formulas(found[n]) if n in found else (FALSE,) for n in range(len(graph.points)))


def with_signs(graph: Graph, facts: tuple[tuple[Term, ...], ...], session: Session) -> tuple[tuple[Term, ...], ...]:
    """The formulas, with signs of numbers, and their order, which steps seem to keep (Houdini).

    As they are where there is too much to look at. Raises LimitReached.
    """
    every = dict.fromkeys(v.var for t in graph.separate for v in t.variables if v.var.sort == INT)
    spoken = _spoken(graph)
    numbers = [v for v in every if v in spoken]
    signs = [le(c, v) for v in numbers for c in (ZERO, ONE)]
    ordered = [le(add(v, c), w) for v, w in permutations(numbers, 2) for c in (ZERO, ONE)]
    if (len(signs) + len(ordered)) * len(graph.steps) <= _QUESTIONS:
        signs += ordered
    if len(signs) * len(graph.steps) > _QUESTIONS:
        return facts
    variables = tuple(dict.fromkeys(v.var for t in graph.separate for v in t.variables))
    names = [str(n) for n in range(len(graph.points))]
    clauses = [Clause((), land(*graph.init, *graph.known[n]), Atom(names[n], variables)) for n in graph.starts]
    for source, target, premise, updates in _all_steps(graph):
        after = Atom(names[target], tuple(updates.get(v, v) for v in variables))
        clauses.append(Clause((Atom(names[source], variables),), land(*premise, *facts[source]), after))
    offered = {
        name: tuple(s for s in signs if not session.implied(s, (*known, *found)))
        for name, known, found in zip(names, graph.known, facts, strict=True)
    }
    nothing: dict[str, tuple[Row, ...]] = dict.fromkeys(names, ())
    kept = conjunctions(session, dict.fromkeys(names, variables), clauses, offered, session.bounds, nothing)
    return tuple((*found, *conjuncts(kept[name])) for name, found in zip(names, facts, strict=True))


def _spoken(graph: Graph) -> frozenset[Var]:
    """The variables that the steps of a graph are about, and those whose values others write into these."""
    found = set[Var]()
    for step in graph.steps:
        known = frozenset(graph.known[step.passage[0]])
        found |= {v for f in step.premise if f not in known for v in f.free}
        found |= {w for v, term in step.updates.items() for w in (v, *term.free)}
    count = -1
    while count < len(found):
        count = len(found)
        found |= {
            w for _, updates in graph.disturbances for v, term in updates.items() if v in found for w in term.free
        }
    return frozenset(found)


def _all_steps(graph: Graph) -> Iterator[tuple[int, int, Sequence[Term], Mapping[Var, Term]]]:
    """The steps of the threads, and those of others at each point."""
    for step in graph.steps:
        yield step.passage[0], step.passage[3], step.premise, step.updates
    for premise, updates in graph.disturbances:
        for n, known in enumerate(graph.known) if updates else ():
            yield n, n, (*premise, *known), updates


def _meet(*formulas: Sequence[Term]) -> zones.Zone | None:
    return zones.meet(zones.EVERYTHING, land(TRUE, *chain(*formulas)))
