"""Strong and weak invariants (Definitions 4 and 5) of one automaton in its environment, by formulas of its locations.

A strong invariant holds whatever the environment does; a weak one as long as environment steps keep it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Location, variables_of
from sa.automata.program import Formula
from sa.checker.joint_locations import settled
from sa.checker.never import taking
from sa.checker.obligation import Case, Obligation
from sa.checker.product import product
from sa.checker.threads import apart
from sa.rules.facts import Invariance
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


def automaton_of(fact: Invariance) -> Automaton:
    """What an invariant is shown of: its thread, or the threads as one automaton (Definition 3).

    Nobody is left to move beside a whole program.
    """
    threads = [t.automaton for t in fact.side.threads]
    if len(threads) == 1:
        return threads[0]
    joint = product(threads, [t.name for t in threads])
    known = [{q.name: _env(q) for q in apart(t).locations} for t in threads]
    still = build.land(*(build.eq(primed(v), v) for v in variables_of(joint, Kind.GLOBAL)))

    def env(place: Location) -> Term:
        return still if fact.side.whole else build.land(*(k[q] for k, q in zip(known, place.parts, strict=True)))

    return replace(joint, locations=tuple(replace(q, env=env(q)) for q in joint.locations))


def wanted(fact: Invariance, automaton: Automaton) -> dict[str, Term]:
    """What the invariant asks of each location, with `at T.CS` resolved."""
    return _at_locations(fact.formula, fact, automaton)


def clauses(fact: Invariance, automaton: Automaton) -> dict[str, tuple[Formula, ...]]:
    """The same by what the invariant is made of, for messages."""
    found: dict[str, tuple[Formula, ...]] = {q.name: () for q in automaton.locations}
    for part in fact.parts:
        for name, term in _at_locations(part.term, fact, automaton).items():
            found[name] = (*found[name], replace(part, term=term))
    return found


def _at_locations(formula: Term, fact: Invariance, automaton: Automaton) -> dict[str, Term]:
    names = [t.automaton.name for t in fact.side.threads]
    places = ((q.name, q.parts or (q.name,)) for q in automaton.locations)
    return {name: settled(formula, dict(zip(names, at, strict=True))) for name, at in places}


def start(automaton: Automaton, places: Mapping[str, Term]) -> Obligation:
    """The formula of the first location holds initially."""
    first = automaton.initial
    known = build.conjoined((automaton.init, _inv(automaton)[first]))
    return Obligation("initially", first, known, (Case((), build.conjuncts(places[first])),))


def obligations(
    automaton: Automaton, places: Mapping[str, Term], wanted: Mapping[str, Term], strong: bool
) -> Iterator[Obligation]:
    """Formulas by location that hold initially, imply the invariant and are kept by all steps.

    Of the environment those steps count that keep the invariant, for a strong one all.
    """
    inv = _inv(automaton)
    yield start(automaton, places)
    for edge in automaton.edges:
        after = dict(edge.updates)
        landed = substitute(inv[edge.target], after)
        known = build.land(inv[edge.source], places[edge.source], *taking(edge), landed)
        kept = build.conjuncts(substitute(places[edge.target], after))
        yield Obligation("component step", f"{edge.source} -> {edge.target}", build.conjuncts(known), (Case((), kept),))
    later: dict[Var, Term] = {v: primed(v) for v in variables_of(automaton, Kind.GLOBAL)}
    for place in automaton.locations:
        here = build.land(place.inv, places[place.name])
        counts = build.TRUE if strong else substitute(wanted[place.name], later)
        moved = build.land(here, _env(place), substitute(place.inv, later), counts)
        kept = build.conjuncts(substitute(places[place.name], later))
        yield Obligation("environment step", place.name, build.conjuncts(moved), (Case((), kept),))
        implied = build.conjuncts(wanted[place.name])
        yield Obligation("it implies the invariant", place.name, build.conjuncts(here), (Case((), implied),))


def _inv(automaton: Automaton) -> dict[str, Term]:
    return {q.name: q.inv for q in automaton.locations}


def _env(place: Location) -> Term:
    assert place.env is not None
    return place.env
