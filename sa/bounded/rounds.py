"""Runs in rounds as a circuit: in each round each thread has a turn, in an order, and takes any number of its steps.

Every step of an unwound thread is taken at most once, so a run is told by the round of each step: `taken[r][h]` says
that hop h is taken by the end of round r. A thread may stay where it is, whatever it waits for, so nothing that a run
did is undone by what it cannot do later. Models are runs, and all runs within the bounds are models but for those that
differ from one in the order of steps that have nothing to do with each other: a step that could be taken at the end of
its thread's turn in the round before is taken there.

That something bad can be done or is the case needs to be asked of the last state only: the state before it is
the last one of another run, in which all threads stay where they are from there on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from sa.automata.automaton import Variable
from sa.base.limits import spend
from sa.bounded.dag import Dag, Danger, Hop, first_values
from sa.bounded.schedule import Ends
from sa.bounded.spans import Spans
from sa.explicit.system import System
from sa.smt.bitblast import Circuit, Signal
from sa.smt.view import View
from sa.smt.words import Bit, Word
from sa.terms.sort import BOOL, INT, ArraySort, Sort, Value, number
from sa.terms.term import Term, Var


class Fired(Struct, frozen=True, eq=False):
    """A hop of a thread that may be taken in a round: whether it is, and the values of its choices."""

    thread: int
    hop: Hop
    bit: Bit
    choices: Mapping[Var, Signal]


class Effect(Struct, frozen=True):
    """What a hop reads and writes, where its thread is included."""

    reads: frozenset[Var]
    writes: frozenset[Var]


class Touched(Struct, frozen=True, eq=False):
    """Whether steps that are taken read and write variables; not at all where there is nothing."""

    reads: Mapping[Var, Bit]
    writes: Mapping[Var, Bit]


class Rounds(Struct, eq=False):
    """A circuit for the rounds so far, and the state after them.

    `order` is the order of the threads in a round. `now` are the signals of all variables, `first` what they were at
    the start; `taken` are bits by thread and hop, `turns` the hops that may be taken by round and thread, `touched`
    what these touch. `out` and
    `into` are the hops from and to each point, by thread. With `canonical`, steps are taken as early as they can be.
    `inexact`: some choices beyond the spans are left out.
    """

    circuit: Circuit
    system: System
    dags: tuple[Dag, ...]
    order: tuple[int, ...]
    spans: Spans
    canonical: bool
    first: dict[Var, Signal]
    now: dict[Var, Signal]
    taken: list[list[Bit]]
    out: tuple[tuple[tuple[int, ...], ...], ...]
    into: tuple[tuple[tuple[int, ...], ...], ...]
    effects: Mapping[Hop, Effect]
    turns: list[list[tuple[Fired, ...]]] = field(default_factory=list)
    touched: list[list[Touched]] = field(default_factory=list)
    inexact: bool = False


def begin(c: Circuit, s: System, dags: Sequence[Dag], order: Sequence[int], found: Spans, canonical: bool) -> Rounds:
    """No round yet. Raises Unsupported where a variable is of a sort that the circuit has not."""
    fixed = first_values(s)
    first = dict[Var, Signal]()
    for v in s.variables:
        # What is said of the first elements of an array is part of the condition below.
        x = None if isinstance(v.sort, ArraySort) else fixed.get(v)
        first[v] = c.fresh(v.key, v.sort, *found.of.get(v, (None, None))) if x is None else _constant(c, x, v.sort)
    places = {q: c.words.constant(place) for q, place in zip(s.counters, s.start, strict=True)}
    c.require(View(c, {**first, **places}).bit(s.init))
    taken: list[list[Bit]] = [[False for _ in dag.hops] for dag in dags]
    out = tuple(_by_point(dag, [h.source for h in dag.hops]) for dag in dags)
    into = tuple(_by_point(dag, [h.target for h in dag.hops]) for dag in dags)
    effects = {h: _effect(h, q) for dag, q in zip(dags, s.counters, strict=True) for h in dag.hops}
    return Rounds(c, s, tuple(dags), tuple(order), found, canonical, first, dict(first), taken, out, into, effects)


def _constant(c: Circuit, value: Value, sort: Sort) -> Signal:
    return bool(value) if sort == BOOL else c.words.constant(number(value))


def _by_point(dag: Dag, ends: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    found: list[list[int]] = [[] for _ in dag.places]
    for number_, point in enumerate(ends):
        found[point].append(number_)
    return tuple(map(tuple, found))


def _effect(hop: Hop, counter: Var) -> Effect:
    chosen = {c.var for c in hop.choices}
    reads = hop.condition.free.union(*(t.free for t in hop.updates.values()))
    return Effect(reads - chosen, frozenset((*hop.updates, counter)))


def _touched(rounds: Rounds, turn: Sequence[Fired]) -> Touched:
    """What the steps of a turn touch."""
    c, reads, writes = rounds.circuit, dict[Var, list[Bit]](), dict[Var, list[Bit]]()
    for fired in turn:
        effect = rounds.effects[fired.hop]
        for found, variables in ((reads, effect.reads), (writes, effect.writes)):
            for v in variables:
                found.setdefault(v, []).append(fired.bit)
    return Touched({v: c.some(bits) for v, bits in reads.items()}, {v: c.some(bits) for v, bits in writes.items()})


def _clash(effect: Effect, others: Sequence[Touched]) -> list[Bit]:
    """Whether the order of a step and of those of other threads can make a difference."""
    found = [there.writes[v] for there in others for v in effect.reads | effect.writes if v in there.writes]
    return found + [there.reads[v] for there in others for v in effect.writes if v in there.reads]


def is_at(rounds: Rounds, thread: int, point: int) -> Bit:
    """Whether a thread is at a point now."""
    left = (rounds.taken[thread][n] for n in rounds.out[thread][point])
    return rounds.circuit.every((_reached(rounds, thread, point), *map(rounds.circuit.no, left)))


def _reached(rounds: Rounds, thread: int, point: int) -> Bit:
    taken = rounds.taken[thread]
    return True if point == 0 else rounds.circuit.some(taken[n] for n in rounds.into[thread][point])


def view(rounds: Rounds, terms: Sequence[Term], choices: Mapping[Var, Signal]) -> View:
    """The state after the rounds so far, for these terms."""
    read = frozenset[Var]().union(*(t.free for t in terms))
    scope = {**rounds.now, **choices}
    for thread, counter in enumerate(rounds.system.counters):
        if counter in read:
            scope[counter] = _place(rounds, thread)
    return View(rounds.circuit, scope)


def _place(rounds: Rounds, thread: int) -> Word:
    c, places = rounds.circuit, rounds.dags[thread].places
    found: Signal = c.words.constant(places[0])
    for point in range(1, len(places)):
        found = c.choose(is_at(rounds, thread, point), c.words.constant(places[point]), found)
    assert isinstance(found, Word)
    return found


def chosen(rounds: Rounds, choices: Sequence[Variable]) -> dict[Var, Signal]:
    """Any values of choices; a guessed width where they have no bounds."""
    found = dict[Var, Signal]()
    for v in choices:
        low, high, width = v.low, v.high, rounds.spans.width
        if width is not None and v.var.sort == INT and (low is None or high is None):
            rounds.inexact = True
            low = -(2**width) if low is None else low
            high = max(low, 2**width) if high is None else high
            low = min(low, high)
        found[v.var] = rounds.circuit.fresh(v.var.key, v.var.sort, low, high)
    return found


def add_round(rounds: Rounds, ends: Ends | None = None) -> None:
    """One more round; if `ends` are given only their threads have a turn, and it ends there. Raises LimitReached."""
    before = [[_reached(rounds, t, p) for p in range(len(dag.places))] for t, dag in enumerate(rounds.dags)]
    turns: list[tuple[Fired, ...]] = [() for _ in rounds.dags]
    touched = [Touched({}, {}) for _ in rounds.dags]
    rounds.turns.append(turns)
    rounds.touched.append(touched)
    for place, thread in enumerate(rounds.order):
        spend(rounds.circuit.bounds, 1100)
        if ends is not None and thread not in ends:
            continue
        others: list[Touched] | None = None
        if rounds.canonical and len(rounds.turns) > 1:
            others = [rounds.touched[-2][t] for t in rounds.order[place + 1 :]]
            others += [touched[t] for t in rounds.order[:place]]
        turns[thread] = tuple(f for p in range(len(before[thread])) for f in _from(rounds, thread, p, before, others))
        touched[thread] = _touched(rounds, turns[thread])
        points = None if ends is None else ends[thread]
        if points is not None:
            rounds.circuit.require(*(is_at(rounds, thread, point) for point in sorted(points)))


def _from(
    rounds: Rounds, thread: int, point: int, before: Sequence[Sequence[Bit]], others: Sequence[Touched] | None
) -> Sequence[Fired]:
    """What a thread may do at a point in its turn; `others` is what came in between, since its last one."""
    c, taken, reached = rounds.circuit, rounds.taken[thread], _reached(rounds, thread, point)
    if reached is False:
        return ()
    made = list[tuple[Fired, dict[Var, Signal]]]()
    for n in rounds.out[thread][point]:
        hop, old = rounds.dags[thread].hops[n], taken[n]
        taken[n] = now = c.fresh_bit("taken")
        c.require(c.no(old), now)
        c.require(c.no(now), reached)
        fires: Bit = now
        if old is not False:
            fires = c.fresh_bit("fires")
            c.require(c.same(fires, c.every((now, c.no(old)))))
        choices = chosen(rounds, hop.choices)
        seen = view(rounds, (hop.condition, *hop.updates.values()), choices)
        c.require(c.no(fires), seen.bit(hop.condition))
        if others is not None and before[thread][point] is not False:
            c.require(c.no(fires), c.no(before[thread][point]), *_clash(rounds.effects[hop], others))
        made.append((Fired(thread, hop, fires, choices), {v: seen.signal(t) for v, t in hop.updates.items()}))
    _at_most_one(c, [taken[n] for n in rounds.out[thread][point]])
    for fired, values in made:
        _write(rounds, fired.bit, values)
    return [fired for fired, _ in made]


def _at_most_one(c: Circuit, bits: Sequence[Bit]) -> None:
    for i, one in enumerate(bits):
        for other in bits[:i]:
            c.require(c.no(one), c.no(other))


def _write(rounds: Rounds, fires: Bit, values: Mapping[Var, Signal]) -> None:
    c = rounds.circuit
    for v, value in values.items():
        if isinstance(value, Word) and v in rounds.spans.of:
            value, fits = c.narrow(value, *rounds.spans.of[v])
            if v in rounds.spans.guessed:
                c.require(c.no(fires), fits)
        rounds.now[v] = c.choose(fires, value, rounds.now[v])


class Dangerous(Struct, frozen=True, eq=False):
    """Whether a bad step can be taken after the rounds so far, and the values of its choices."""

    danger: Danger
    bit: Bit
    choices: Mapping[Var, Signal]


def dangers(rounds: Rounds) -> list[Dangerous]:
    """The bad steps that may be possible after the rounds so far."""
    found = list[Dangerous]()
    for thread, dag in enumerate(rounds.dags):
        for danger in dag.dangers:
            here = is_at(rounds, thread, danger.point)
            if here is False:
                continue
            choices = chosen(rounds, danger.act.choices)
            seen = view(rounds, (danger.condition,), choices)
            bit = rounds.circuit.every((here, seen.bit(danger.condition)))
            found.append(Dangerous(danger, bit, choices))
    return found


def bad(rounds: Rounds, question: int, possible: Sequence[Dangerous]) -> Bit:
    """Whether what is bad about a question is the case after the rounds so far, or can be done (`dangers`)."""
    c, claim = rounds.circuit, rounds.system.claims[question]
    found = [d.bit for d in possible if question in d.danger.act.bads]
    if claim is not None:
        found.append(c.no(view(rounds, (claim,), {}).bit(claim)))
    return c.some(found)


def is_used(rounds: Rounds) -> Bit:
    """Whether anything happens in the last round."""
    return rounds.circuit.some(f.bit for turn in rounds.turns[-1] for f in turn)


def goes_on(rounds: Rounds) -> Bit:
    """Whether a thread would take a step after the rounds so far that is beyond the unwinding of a loop."""
    c = rounds.circuit
    found = list[Bit]()
    for thread, dag in enumerate(rounds.dags):
        for point, condition in dag.cut:
            unknown = chosen(
                rounds, [v for v in _choices_at(rounds, thread, dag.places[point]) if v.var in condition.free]
            )
            found.append(c.every((is_at(rounds, thread, point), view(rounds, (condition,), unknown).bit(condition))))
    return c.some(found)


def _choices_at(rounds: Rounds, thread: int, place: int) -> list[Variable]:
    return [v for act in rounds.system.acts[thread][place] for v in act.choices]
