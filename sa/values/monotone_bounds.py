"""Abstract states that can no longer match: a number only grows, and is too large already.

Silent loops give infinitely many answers. Where ι equates a number of each side and no abstract step makes the abstract
one smaller from some location on, every answer through a larger one there ends outside of ι: these states are left
out, and the rest is often finite. That a number only moves one way is shown by the solver, here and again by the
checker.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, edges_from
from sa.automata.components import components, reachable
from sa.automata.ranges import within
from sa.certificates.goal import Goal, iota_of
from sa.certificates.play import Beyond
from sa.smt.session import Session
from sa.terms import build
from sa.terms.evaluate import evaluate
from sa.terms.sort import Value, number
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Or, Term, Var


class OneWay(Struct, frozen=True):
    """ι equates a number of the concrete side and one of the abstract side, variables or sums, where `given` holds of
    the concrete state. Abstract steps from `places` lead to places, and only make the latter larger, or only smaller.
    """

    concrete: Term
    abstract: Term
    grows: bool
    places: frozenset[str]
    given: Term = build.TRUE


def one_way(goal: Goal, session: Session) -> tuple[OneWay, ...]:
    """The abstract numbers that loops move one way only: others have few values anyway. Raises LimitReached."""
    said = (conditional for c in build.conjuncts(iota_of(goal)) for conditional in _conditional(goal, c))
    links = [(given, *link) for given, formula in said if (link := _link(goal, formula)) is not None]
    again = _looping(goal.abstract)
    return tuple(
        OneWay(concrete, abstract, grows, places, given)
        for given, concrete, abstract in links
        if (writing := {e.source for e in again if any(v in abstract.free and t is not v for v, t in e.updates)})
        for grows in (True, False)
        if not writing.isdisjoint(places := _never_back(goal.abstract, abstract, grows, session))
    )


def _conditional(goal: Goal, formula: Term) -> Iterator[tuple[Term, Term]]:
    """What a conjunct of ι says, each with a condition on the concrete state alone."""
    if not isinstance(formula, Or):
        yield build.TRUE, formula
        return
    own = {v.var for v in goal.concrete.variables}
    unless = [d for d in formula.args if d.free <= own]
    rest = [d for d in formula.args if d not in unless]
    if len(rest) == 1:
        yield from ((build.lnot(build.lor(*unless)), c) for c in build.conjuncts(rest[0]))


def _link(goal: Goal, formula: Term) -> tuple[Term, Term] | None:
    """The sum over concrete variables and the one over abstract variables that a formula says are equal."""
    if not isinstance(formula, IsZero):
        return None
    own, others = ({v.var for v in a.variables} for a in (goal.concrete, goal.abstract))
    const, parts = build.linear_parts(formula.total)
    theirs = {t: c for t, c in parts.items() if t.free.isdisjoint(own)}
    mine = {t: c for t, c in parts.items() if t not in theirs}
    if not theirs or not mine or not all(t.free <= own for t in mine) or not all(t.free <= others for t in theirs):
        return None
    first, second = build.linear(const, mine), build.linear(0, theirs)
    # The sign is that which leaves a single variable as it is.
    return (build.scale(-1, first), second) if next(iter(theirs.values())) > 0 else (first, build.scale(-1, second))


def _looping(automaton: Automaton) -> tuple[Edge, ...]:
    """The edges that lie on loops."""
    after = {q: [e.target for e in edges] for q, edges in edges_from(automaton).items()}
    whose = {q: n for n, found in enumerate(components(after, after)) for q in found}
    return tuple(e for e in automaton.edges if whose[e.source] == whose[e.target])


def _never_back(automaton: Automaton, total: Term, grows: bool, session: Session) -> frozenset[str]:
    """The locations from which no step, now or later, makes a sum smaller, or larger."""
    inv = {q.name: q.inv for q in automaton.locations}
    back = set[str]()
    for edge in automaton.edges:
        after = substitute(total, dict(edge.updates))
        kept = build.le(total, after) if grows else build.le(after, total)
        known = (inv[edge.source], edge.guard, *(within(c) for c in edge.choices))
        if kept is not build.TRUE and not session.implied(kept, (k for k in known if k is not build.TRUE)):
            back.add(edge.source)
    return frozenset(inv) - _leading_to(automaton, back)


def _leading_to(automaton: Automaton, targets: Iterable[str]) -> set[str]:
    """The locations from which one of these is reached along edges."""
    sources = defaultdict[str, list[str]](list)
    for edge in automaton.edges:
        sources[edge.target].append(edge.source)
    return reachable(targets, sources.__getitem__)


def beyond(ways: Sequence[OneWay], automaton: Automaton, after: Mapping[Var, Value]) -> tuple[Beyond, ...]:
    """The abstract states that are past the concrete state after a step, by location."""
    past = list[tuple[OneWay, Term]]()
    for way in ways:
        if not evaluate(way.given, after):
            continue
        target = build.integer(number(evaluate(way.concrete, after)))
        past.append((way, build.lt(target, way.abstract) if way.grows else build.lt(way.abstract, target)))
    zones = ((q.name, build.lor(*(t for way, t in past if q.name in way.places))) for q in automaton.locations)
    return tuple(Beyond(name, states) for name, states in zones if states is not build.FALSE)
