"""The eager schema (Lal and Reps) over the engine's unwound threads, to compare with: guesses instead of turns.

What the shared variables are at the start of each round is guessed for all rounds. Then each thread runs once, through
all rounds, on the copy of the round that it is in. In the end each round must leave what was guessed for the next one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Kind
from sa.base.limits import Limits, Unsupported
from sa.bounded.dag import Dag
from sa.bounded.spans import Spans, spans
from sa.explicit.system import System
from sa.smt.bitblast import Array, Circuit, Model, Signal
from sa.smt.view import View
from sa.smt.words import Bit, Word
from sa.terms.sort import INT
from sa.terms.term import Term, Var


class _Work(Struct, frozen=True, eq=False):
    """`shared` are the globals round by round, `own` all other variables, `reached` the points of each thread that
    it comes to by the end of a round, `left` those that it leaves at all."""

    circuit: Circuit
    system: System
    spans: Spans
    shared: list[dict[Var, Signal]]
    own: dict[Var, Signal]
    reached: list[list[list[Bit]]]
    left: list[list[Bit]]


def is_bad_within(s: System, dags: Sequence[Dag], rounds: int, width: int, bounds: Limits) -> tuple[bool | None, int]:
    """Whether something bad is reached in so many rounds, and the clauses for that. Raises LimitReached."""
    c, found = Circuit(bounds, bits=True), spans(s, tuple(dags), width)
    globals_ = [v.var for v in s.variables.values() if v.kind is Kind.GLOBAL]

    def fresh(v: Var) -> Signal:
        return c.fresh(v.key, v.sort, *found.of.get(v, (None, None)))

    guessed = [{v: fresh(v) for v in globals_} for _ in range(rounds)]
    own = {v: fresh(v) for v in s.variables if v not in guessed[0]}
    places: dict[Var, Signal] = {q: c.words.constant(p) for q, p in zip(s.counters, s.start, strict=True)}
    c.require(View(c, {**guessed[0], **own, **places}).bit(s.init))
    work = _Work(c, s, found, [dict(here) for here in guessed], own, [], [])
    for dag in dags:
        _run(work, dag)
    for here, there in zip(work.shared, guessed[1:], strict=False):
        for v in globals_:
            c.require(_same(c, here[v], there[v]))
    answer = c.check(_bad(work, dags))
    return (None if answer is None else isinstance(answer, Model)), c.required


def _same(c: Circuit, left: Signal, right: Signal) -> Bit:
    if isinstance(left, Word) and isinstance(right, Word):
        return c.equal(left, right)
    assert not isinstance(left, Word) and not isinstance(right, Word)
    assert not isinstance(left, Array) and not isinstance(right, Array)
    return c.same(left, right)


def _run(work: _Work, dag: Dag) -> None:
    """One thread from its start to wherever it stops, with each step in some round that is no earlier than the last."""
    c, rounds = work.circuit, range(len(work.shared))
    reached: list[list[Bit]] = [[False for _ in rounds] for _ in dag.places]
    reached[0] = [True for _ in rounds]
    left: list[Bit] = [False for _ in dag.places]
    work.reached.append(reached)
    work.left.append(left)
    for hop in dag.hops:
        for r in rounds:
            if reached[hop.source][r] is False:
                continue
            fires = c.fresh_bit("fires")
            c.require(c.no(fires), reached[hop.source][r])
            c.require(c.no(fires), c.no(left[hop.source]))
            choices = {v.var: _chosen(work, v.var, v.low, v.high) for v in hop.choices}
            seen = _view(work, r, (hop.condition, *hop.updates.values()), choices)
            c.require(c.no(fires), seen.bit(hop.condition))
            values = {v: seen.signal(t) for v, t in hop.updates.items()}
            for v, value in values.items():
                _write(work, r, v, value, fires)
            left[hop.source] = c.some((left[hop.source], fires))
            for later in rounds[r:]:
                reached[hop.target][later] = c.some((reached[hop.target][later], fires))


def _chosen(work: _Work, v: Var, low: int | None, high: int | None) -> Signal:
    width = work.spans.width or 0
    if v.sort == INT:
        low, high = (-(2**width) if low is None else low), (2**width - 1 if high is None else high)
    return work.circuit.fresh(v.key, v.sort, low, high)


def _view(work: _Work, r: int, terms: Sequence[Term], choices: Mapping[Var, Signal]) -> View:
    if any(not t.free.isdisjoint(work.system.counters) for t in terms):
        raise Unsupported("where other threads are, in a thread that runs before them")
    return View(work.circuit, {**work.shared[r], **work.own, **choices})


def _write(work: _Work, r: int, v: Var, value: Signal, fires: Bit) -> None:
    c = work.circuit
    if isinstance(value, Word) and v in work.spans.of:
        value, fits = c.narrow(value, *work.spans.of[v])
        if v in work.spans.guessed:
            c.require(c.no(fires), fits)
    scope = work.shared[r] if v in work.shared[r] else work.own
    scope[v] = c.choose(fires, value, scope[v])


def _bad(work: _Work, dags: Sequence[Dag]) -> Bit:
    """Whether something bad is the case after the last round, or can be done then."""
    c, s = work.circuit, work.system
    at = [
        [c.every((reached[p][-1], c.no(left[p]))) for p in range(len(dag.places))]
        for dag, reached, left in zip(dags, work.reached, work.left, strict=True)
    ]
    scope: dict[Var, Signal] = {**work.shared[-1], **work.own}
    for q, dag, here in zip(s.counters, dags, at, strict=True):
        place: Signal = c.words.constant(dag.places[0])
        for p in range(1, len(dag.places)):
            place = c.choose(here[p], c.words.constant(dag.places[p]), place)
        scope[q] = place
    found = [c.no(View(c, scope).bit(claim)) for claim in s.claims if claim is not None]
    for dag, here in zip(dags, at, strict=True):
        for danger in dag.dangers:
            choices = {v.var: _chosen(work, v.var, v.low, v.high) for v in danger.act.choices}
            bad = View(c, {**scope, **choices}).bit(danger.condition)
            found.append(c.every((here[danger.point], bad)))
    return c.some(found)
