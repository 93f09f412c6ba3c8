"""Bounded model checking: runs of 0, 1, 2, … steps as formulas, for those that need values nobody would try.

What is unsatisfiable within the depth proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack

from msgspec import Struct

from sa.automata.automaton import Kind
from sa.base.budget import Event, Report, unheard
from sa.base.limits import Limits, spend
from sa.certificates.run import Bad, Ending, Run
from sa.explicit.transition_system import Arc, Whole, is_bad, run_of
from sa.smt.session import Sat, Session, Undecided
from sa.terms.build import FALSE, eq, implies, integer, land, lnot, lor, variable
from sa.terms.name import staged
from sa.terms.sort import Value, default_value, number
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class _Unrolled(Struct, frozen=True, eq=False):
    """The whole as it is unrolled: all `arcs` in one row, `inv` one formula each place."""

    whole: Whole
    bad: Bad
    arcs: tuple[Arc, ...]
    inv: tuple[tuple[Term, ...], ...]
    rigid: frozenset[Var]


def unroll(w: Whole, bad: Bad, depth: int, rlimit: int, bounds: Limits, report: Report = unheard) -> Run | None:
    """A run of at most `depth` steps that ends in a violation. Raises LimitReached and SolverDisagrees."""
    u = _unrolled(w, bad)
    session = Session(bounds, rlimit=rlimit)
    active = [{i} for i in w.start]
    with ExitStack() as scopes:
        scopes.enter_context(session.assuming(_first(u, active)))
        for step in range(depth + 1):
            # The session looks at the clock only where it asks the solver.
            spend(bounds, 200)
            report(Event("runs", {"steps": step}))
            answer = session.check((_violation(u, step),))
            if isinstance(answer, Sat):
                return _run(u, answer.values, step)
            if isinstance(answer, Undecided) or step == depth:
                break
            arcs = [i for i, arc in enumerate(u.arcs) if arc.source in active[arc.thread]]
            for i in arcs:
                active[u.arcs[i].thread].add(u.arcs[i].target)
            scopes.enter_context(session.assuming(_step(u, step, arcs, active)))
    return None


def _unrolled(w: Whole, bad: Bad) -> _Unrolled:
    arcs = tuple(arc for by_place in w.arcs for outgoing in by_place for arc in outgoing)
    inv = tuple(tuple(land(*formulas) for formulas in places) for places in w.inv)
    return _Unrolled(w, bad, arcs, inv, frozenset(v.var for v in w.variables if v.kind is Kind.PARAM))


def _at(u: _Unrolled, step: int) -> dict[Var, Term]:
    return {v: v if v in u.rigid else variable(staged(v.name, step), v.sort) for v in u.whole.order}


def _taken(step: int, arc: int) -> Term:
    """That step number `step` is along arc number `arc`."""
    return eq(_mover(step), integer(arc))


def _mover(step: int) -> Var:
    return variable(staged("step", step))


def _chosen(step: int, arc: int, choice: Var) -> Var:
    return variable(staged(staged(choice.name, step), arc), choice.sort)


def _first(u: _Unrolled, active: list[set[int]]) -> Iterator[Term]:
    now = _at(u, 0)
    yield substitute(u.whole.init, now)
    for counter, place in zip(u.whole.counters, u.whole.start, strict=True):
        yield eq(now[counter], integer(place))
    yield from _invariants(u, now, active)


def _invariants(u: _Unrolled, now: Mapping[Var, Term], active: list[set[int]]) -> Iterator[Term]:
    for counter, places, there in zip(u.whole.counters, u.inv, active, strict=True):
        by_inv = dict[Term, list[int]]()
        for place in sorted(there):
            by_inv.setdefault(places[place], []).append(place)
        for inv, same in by_inv.items():
            elsewhere = FALSE if len(same) == len(there) else lnot(lor(*(_is_at(now, counter, p) for p in same)))
            yield lor(elsewhere, substitute(inv, now))


def _is_at(now: Mapping[Var, Term], counter: Var, place: int) -> Term:
    return eq(now[counter], integer(place))


def _step(u: _Unrolled, step: int, arcs: list[int], active: list[set[int]]) -> Iterator[Term]:
    now, then = _at(u, step), _at(u, step + 1)
    yield lor(*(_taken(step, i) for i in arcs))
    writers: dict[Var, list[Term]] = {v: [] for v in u.whole.order if v not in u.rigid}
    for i in arcs:
        arc, taken = u.arcs[i], _taken(step, i)
        counter = u.whole.counters[arc.thread]
        scope = {**now, **{c.var: _chosen(step, i, c.var) for c in arc.choices}}
        updates = {**arc.updates, counter: integer(arc.target)}
        for v in updates:
            writers[v].append(taken)
        yield implies(taken, land(_is_at(now, counter, arc.source), substitute(arc.guard, scope)))
        yield implies(taken, land(*(eq(then[v], substitute(t, scope)) for v, t in updates.items())))
    for v, cases in writers.items():
        yield lor(eq(then[v], now[v]), *cases)
    yield from _invariants(u, then, active)


def _violation(u: _Unrolled, step: int) -> Term:
    fails = [_taken(step - 1, i) for i, arc in enumerate(u.arcs) if is_bad(u.whole, u.bad, arc)] if step else []
    return lor(lnot(substitute(u.whole.claim, _at(u, step))), *fails)


def _run(u: _Unrolled, model: Mapping[Var, Value], steps: int) -> Run:
    def value(v: Term) -> Value:
        assert isinstance(v, Var)
        return model[v] if v in model else default_value(v.sort)

    start = {v: value(name) for v, name in _at(u, 0).items()}
    script = list[tuple[Arc, tuple[Value, ...]]]()
    for step in range(steps):
        mover = number(value(_mover(step)))
        arc = u.arcs[mover]
        script.append((arc, tuple(value(_chosen(step, mover, c.var)) for c in arc.choices)))
    is_failure = bool(script) and is_bad(u.whole, u.bad, script[-1][0])
    return run_of(u.whole.threads, start, script, Ending.FAILED if is_failure else Ending.VIOLATED)
