"""Ways that go on for ever as evidence: a run, where its cycle begins, and what makes that the cycle can be repeated.

A state that is met again says so by its values. Where numbers grow no state is met again: then it is a set of states
that the cycle does not leave (a recurrent set, Gupta et al. 2008), found by dropping what the cycle does not keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice

from msgspec.structs import replace

from sa.automata.automaton import Kind
from sa.automata.program import Axiom, Ends
from sa.automata.ranges import within
from sa.automata.standstill import over
from sa.base.limits import Limits, spend
from sa.certificates.ends import Lasso
from sa.certificates.run import Ending
from sa.explicit.evidence import Traced, traced, value_in_state
from sa.explicit.instantiate import Row
from sa.explicit.transition_system import Arc, run_of
from sa.ranking.states import Endless, Explored, Open, Step, goes_round, open_from, way_to
from sa.smt.session import Session
from sa.terms.build import TRUE, conjoined, conjuncts, constant, eq, integer, land, le, mod
from sa.terms.evaluate import Unevaluable
from sa.terms.sort import INT, Value, number
from sa.terms.substitute import local_of, substitute
from sa.terms.term import Term, Var

#: How many cycles are tried of those that no state closes: of all, of those at the same places, of those along the same
#: steps; and of which length.
_TRIED, _HERE, _EACH, _LONGEST = 100, 8, 3, 60


def lasso(found: Explored, way: Endless) -> Lasso | None:
    """A way that leads back to a state, as evidence; None where what the search left out has no values."""
    try:
        run = traced(found.search, way.first, (*way.stem, *way.cycle))
    except Unevaluable:
        return None
    if run is None:
        return None
    state = way.stem[-1][1] if way.stem else way.first
    again = land(*(eq(v, constant(value_in_state(found.search, state, v), v.sort)) for v in _kept(found, state)))
    return _lasso(found, run, len(way.stem), again if way.cycle else TRUE)


def _lasso(found: Explored, run: Traced, stem: int, again: Term) -> Lasso:
    threads = found.search.system.threads
    if stem < len(run.script):
        return Lasso(replace(run_of(threads, run.start, run.script, Ending.REPEATED), cycle=stem), again)
    places = [t.locations[number(run.end[c])].name for t, c in zip(threads, found.search.system.counters, strict=True)]
    ended = all(q in over(t) for t, q in zip(threads, places, strict=True))
    return Lasso(run_of(threads, run.start, run.script, Ending.FINISHED if ended else Ending.BLOCKED), again)


def _kept(found: Explored, state: int) -> Iterator[Var]:
    """The variables whose values matter in a state."""
    s, slots = found.search.system, found.search.layout.slots
    places = [state >> slots[c].shift & slots[c].mask for c in s.counters]
    kept = s.shared.union(*(k[p] for k, p in zip(s.kept, places, strict=True)))
    return (v for v in s.variables if v in kept)


def growing(found: Explored, ends: Ends, axioms: Sequence[Axiom], bounds: Limits, seed: int) -> Iterator[Lasso]:
    """Cycles that no state closes, with a set of states that they do not leave. Raises LimitReached."""
    session = Session(bounds, tuple(a.formula for a in axioms), seed)
    known = found.search.system.variables
    for way in _cycles(found, ends):
        spend(bounds, 200)
        stem = len(way.stem)
        try:
            run = traced(found.search, way.first, (*way.stem, *way.cycle))
            begun = traced(found.search, way.first, way.stem)
        except Unevaluable:
            continue
        if run is not None and begun is not None:
            before = {v: begun.end[v] for v in known}
            watched = _watched(found, ends, way)
            again = _recurrent(session, run.script[stem:], before, run.end, watched)
            if again is not None:
                yield _lasso(found, run, stem, again)


def _watched(found: Explored, ends: Ends, way: Endless) -> frozenset[Var]:
    """What decides whether the threads can step that do not in a cycle, where runs are fair."""
    s, slots = found.search.system, found.search.layout.slots
    moving, state = {t for t, _ in way.cycle}, way.stem[-1][1] if way.stem else way.first
    waiting = [(n, t) for n, t in enumerate(s.threads) if n not in moving] if ends.fair else []
    watched = set[Var]()
    for n, thread in waiting:
        slot = slots[s.counters[n]]
        place = thread.locations[state >> slot.shift & slot.mask].name
        named = {v.var: local_of(v.var, thread.name) for v in thread.variables if v.kind is Kind.LOCAL}
        watched.update(named.get(v, v) for e in thread.edges if e.source == place for v in e.guard.free)
    return frozenset(watched)


def _cycles(found: Explored, ends: Ends) -> Iterator[Endless]:
    """Ways between states at which the claim is open and the threads are at the same places: short ones first.

    They have steps of the threads that the claim is about, and are fair where runs are.
    """
    return islice((way for open_ in open_from(found) for way in _cycles_among(found, ends, open_)), _TRIED)


def _cycles_among(found: Explored, ends: Ends, open_: Open) -> Iterator[Endless]:
    places, seen, here = found.search.layout.places, dict[tuple[int, ...], int](), dict[int, int]()
    for last in open_.pending:
        way, state = list[Step](), last
        while (came := open_.pending[state]) is not None and len(way) < _LONGEST:
            way.insert(0, (came[0], state))
            state = came[1]
            if state & places != last & places or here.get(last & places, 0) >= _HERE:
                continue
            key = (state & places, *(x for t, a in way for x in (t, a & places)))
            if seen.get(key, 0) < _EACH and goes_round(found, ends, state, way):
                seen[key] = seen.get(key, 0) + 1
                here[last & places] = here.get(last & places, 0) + 1
                yield way_to(open_, state, tuple(way))


def _recurrent(
    session: Session,
    script: Sequence[tuple[Arc, Row]],
    before: Mapping[Var, Value],
    after: Mapping[Var, Value],
    watched: Set[Var],
) -> Term | None:
    """What holds before a cycle and makes that it can be taken again and again; None where that is not found.

    What it says of variables that are watched is not left out.
    """
    values, asked = dict[Var, Term](), list[Term]()
    for arc, picked in script:
        chosen = {c.var: constant(x, c.var.sort) for c, x in zip(arc.choices, picked, strict=True)}
        scope = {**values, **chosen}
        asked += conjuncts(substitute(land(arc.guard, *map(within, arc.choices)), scope))
        values |= {v: substitute(t, scope) for v, t in arc.updates.items()}
    needed = conjoined(asked)
    candidates = [*needed, *_candidates(before, after, values)]
    falling = True
    while falling:
        known = tuple(candidates)
        kept = [c for c in candidates if session.implied(substitute(c, values), known)]
        falling, candidates = len(kept) < len(candidates), kept
    if any(n not in candidates for n in needed):
        return None
    asking = (*needed, *(c for c in candidates if not c.free.isdisjoint(watched)))
    return land(*_fewest(session, candidates, asking, values))


def _fewest(
    session: Session, candidates: Sequence[Term], needed: Sequence[Term], values: Mapping[Var, Term]
) -> Sequence[Term]:
    """What is left without that nothing else depends on: a user reads it."""
    for one in candidates:
        fewer = tuple(c for c in candidates if c is not one)
        if one not in needed and all(session.implied(substitute(c, values), fewer) for c in fewer):
            candidates = fewer
    return candidates


def _candidates(before: Mapping[Var, Value], after: Mapping[Var, Value], written: Mapping[Var, Term]) -> Iterator[Term]:
    """What may stay true: values that stay, remainders, and that numbers are not below, or above, what they are."""
    for v, x in before.items():
        here = constant(x, v.sort)
        if v not in written or after[v] == x:
            yield eq(v, here)
        elif v.sort == INT:
            stride = abs(number(after[v]) - number(x))
            if stride > 1:
                yield eq(mod(v, stride), integer(number(x) % stride))
            yield le(here, v) if number(after[v]) > number(x) else le(v, here)
