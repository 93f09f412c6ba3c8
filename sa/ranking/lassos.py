"""Ways that go on for ever as evidence: a run, where its cycle begins, and what makes that the cycle can be repeated.

A state that is met again says so by its values. Where numbers grow no state is met again: then it is a set of states
that the cycle does not leave (a recurrent set, Gupta et al. 2008), found by dropping what the cycle does not keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from sa.automata.program import Axiom
from sa.automata.ranges import within
from sa.automata.standstill import over
from sa.base.limits import Limits, spend
from sa.certificates.ends import Lasso
from sa.certificates.run import Ending
from sa.explicit.evidence import Traced, traced, value_in_state
from sa.explicit.instantiate import Row
from sa.explicit.transition_system import Arc, run_of
from sa.ranking.states import Endless, Explored, Step, open_states, way_to
from sa.smt.session import Session
from sa.terms.build import TRUE, conjoined, conjuncts, constant, eq, integer, land, le, mod
from sa.terms.evaluate import Unevaluable
from sa.terms.sort import INT, Value, number
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: How many cycles are tried of those that no state closes, how often each, and of which length.
_TRIED, _EACH, _LONGEST = 40, 3, 60


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


def growing(found: Explored, axioms: Sequence[Axiom], bounds: Limits, seed: int) -> Iterator[Lasso]:
    """Cycles that no state closes, with a set of states that they do not leave. Raises LimitReached."""
    session = Session(bounds, tuple(a.formula for a in axioms), seed)
    known = found.search.system.variables
    for way in _cycles(found):
        spend(bounds, 200)
        stem = len(way.stem)
        try:
            run = traced(found.search, way.first, (*way.stem, *way.cycle))
            begun = traced(found.search, way.first, way.stem)
        except Unevaluable:
            continue
        if run is not None and begun is not None:
            before = {v: begun.end[v] for v in known}
            again = _recurrent(session, run.script[stem:], before, run.end)
            if again is not None:
                yield _lasso(found, run, stem, again)


def _cycles(found: Explored) -> Iterator[Endless]:
    """Ways between states at which the claim is open and the threads are at the same places: short ones first."""
    places, tried, seen = found.search.layout.places, 0, dict[tuple[int, ...], int]()
    open_ = open_states(found, first=True)
    for last in open_.pending:
        way, state = list[Step](), last
        while (came := open_.pending[state]) is not None and len(way) < _LONGEST:
            way.insert(0, (came[0], state))
            state = came[1]
            key = (state & places, *(x for t, a in way for x in (t, a & places)))
            if state & places == last & places and seen.get(key, 0) < _EACH:
                seen[key] = seen.get(key, 0) + 1
                yield way_to(open_, state, tuple(way))
                tried += 1
                if tried >= _TRIED:
                    return


def _recurrent(
    session: Session, script: Sequence[tuple[Arc, Row]], before: Mapping[Var, Value], after: Mapping[Var, Value]
) -> Term | None:
    """What holds before a cycle and makes that it can be taken again and again; None where that is not found."""
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
    return land(*_fewest(session, candidates, needed, values)) if all(n in candidates for n in needed) else None


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
