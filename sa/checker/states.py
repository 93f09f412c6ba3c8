"""Checks a proof by all states: they contain the initial ones, steps do not leave them, and nothing bad is among them.

Everything is evaluated; no solver is asked. What is made here from the threads are steps between packed states
(`checker.stepping`), all initial values and all values of choices (`checker.enumeration`), and whether the steps that
are left out may be (`checker.independence`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from itertools import islice

from msgspec import Struct, field

from sa.base.limits import Limits, check_memory, spend
from sa.certificates.packed import Columns
from sa.certificates.states import States
from sa.checker.enumeration import Endless, Enumeration, Row, enumeration, extended
from sa.checker.independence import Dependence, Effect, dependence, first_fault, persistent
from sa.checker.never import program_fault
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.run import thread_faults
from sa.checker.side import within
from sa.checker.stepping import Packing, Slot, Stepped, Unfit, packing, steps_from
from sa.terms.build import conjoined, eq, integer, land, variable
from sa.terms.compile import executable, guarded, predicate
from sa.terms.name import at_place
from sa.terms.sort import BOOL, Value, number
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: How many states are looked at between two looks at the clock, and how much is remembered of what steps do.
_BETWEEN_LOOKS, _REMEMBERED = 4_096, 100_000

#: The bits that a thread's steps at a location depend on; what they add to a state, by these bits; how to find out.
Moves = tuple[int, dict[int, tuple[int, ...]], Callable[[int], tuple[int, ...]]]

#: Who is stepped at a joint location: the thread that must be able to move, and all that are stepped with it.
Turn = tuple[Moves | None, tuple[Moves, ...]]


class _Wrong(Exception):
    """The evidence is rejected for this."""

    def __init__(self, ruling: Rejected) -> None:
        super().__init__(ruling.why)
        self.ruling = ruling


class Prepared(Struct):
    """The evidence and what has been made of its threads so far; `claims` are over counters and fields."""

    made: States
    packed: Packing
    steps: tuple[tuple[tuple[Stepped, ...], ...], ...]
    effects: tuple[tuple[Effect, ...], ...]
    claims: tuple[Term, ...]
    moves: dict[tuple[int, int], Moves] = field(default_factory=dict)


def check_states(made: States, bounds: Limits) -> Ruling:
    """Whether the states show that nothing bad is reached. Raises LimitReached."""
    fault = program_fault(made.threads) or next(thread_faults(made.threads), None)
    if fault is not None:
        return Rejected("well-formed threads", fault)
    try:
        check = prepared(made)
        if isinstance(made.packed, Columns):
            _many_closed(check, made.packed, bounds)
        else:
            if not all(state in made.packed for state in initial_states(check, bounds)):
                return Rejected("initial states", "one is missing")
            _closed(check, bounds)
    except Unfit as problem:
        return Rejected("well-formed states", str(problem))
    except Endless as problem:
        return Rejected("enumeration", f"{problem} has infinitely many values")
    except _Wrong as wrong:
        return wrong.ruling
    return Accepted()


def prepared(made: States) -> Prepared:
    """The evidence made ready. Raises Unfit."""
    packed = packing(made)
    numbers = [range(len(t.locations)) for t in made.threads]
    steps = tuple(tuple(tuple(steps_from(made, packed, t, p)) for p in places) for t, places in enumerate(numbers))
    claims = tuple(claim_over_fields(made, packed, bad.claim) for bad in made.never if bad.claim is not None)
    scope = (*packed.counters, *packed.variables)
    for step in (s for by_place in steps for here in by_place for s in here):
        if not executable((step.condition, *step.updates.values()), (*scope, *(c.var for c in step.choices))):
            raise Unfit("a step cannot be evaluated")
    asked = frozenset(v for bad in made.never if bad.claim is not None for v in bad.claim.free)
    effects = tuple(
        tuple(_effect(made, packed, thread, here, asked) for here in by_place) for thread, by_place in enumerate(steps)
    )
    for first, by_place in zip(made.first, effects, strict=True):
        if (fault := first_fault(first, by_place)) is not None:
            raise Unfit(fault)
    return Prepared(made, packed, steps, effects, claims)


def claim_over_fields(made: States, packed: Packing, claim: Term) -> Term:
    """A claim over counters and fields. Raises Unfit where the states do not tell whether it holds.

    While a thread is at a place, a claim may say nothing of those of its locals that have no value there.
    """
    words: dict[Var, Term] = {
        variable(at_place(t.name, q.name), BOOL): eq(counter, integer(i))
        for t, counter in zip(made.threads, packed.counters, strict=True)
        for i, q in enumerate(t.locations)
    }
    said = substitute(claim, words)
    somewhere = packed.shared.union(*(here for by_place in made.kept for here in by_place))
    for counter, by_place in zip(packed.counters, made.kept, strict=True):
        own = frozenset[Var]().union(*by_place)
        for place, here in enumerate(by_place):
            if not substitute(said, {counter: integer(place)}).free.isdisjoint(own - here):
                raise Unfit("the states do not determine whether a claim holds")
    if not executable((said,), (*packed.counters, *somewhere)):
        raise Unfit("the states do not determine whether a claim holds")
    return said


def _effect(made: States, packed: Packing, thread: int, here: Sequence[Stepped], asked: frozenset[Var]) -> Effect:
    counter, automaton = packed.counters[thread], made.threads[thread]
    writes, seen = set[Var](), False
    for step in here:
        writes |= step.updates.keys() | step.cleared
        ends = {at_place(automaton.name, automaton.locations[p].name) for p in (step.source, step.target)}
        if step.source != step.target:
            writes.add(counter)
            seen = seen or any(v.name in ends for v in asked)
        seen = seen or not asked.isdisjoint(step.updates)
    reads = frozenset[Var]().union(*(s.reads for s in here))
    return Effect(reads, frozenset(writes), seen, frozenset(s.target for s in here))


def initial_states(check: Prepared, bounds: Limits) -> Iterator[int]:
    """Every initial state. Raises Endless."""
    made, packed = check.made, check.packed
    start = [next(i for i, q in enumerate(t.locations) if q.name == t.initial) for t in packed.threads]
    invariants = (t.locations[i].inv for t, i in zip(packed.threads, start, strict=True))
    ranges = (within(v) for v in packed.variables.values())
    formulas = conjoined((*(t.init for t in packed.threads), *invariants, *ranges))
    mattering = packed.shared.union(*(kept[i] for kept, i in zip(made.kept, start, strict=True)))
    # Formulas that are left out allow more initial states, not fewer; these are needed to find values.
    needed = mattering
    while tied := frozenset[Var]().union(*(f.free for f in formulas if not f.free.isdisjoint(needed))) - needed:
        needed |= tied
    unknown = [v for var, v in packed.variables.items() if var in needed]
    told = [f for f in formulas if f.free <= needed and executable((f,), tuple(needed))]
    how = enumeration(land(*told), (), unknown)
    column = {v.var: i for i, v in enumerate(unknown)}
    kept = [(packed.slots[v], column[v]) for v in column if v in mattering]
    places = sum(i << packed.slots[c].shift for c, i in zip(packed.counters, start, strict=True))
    if not unknown and not predicate(land(*told), ())(()):
        return
    for count, row in enumerate(extended(how, ())):
        if count % _BETWEEN_LOOKS == 0:
            spend(bounds, 20_000)
        yield places + sum(_bits(slot, row[i]) for slot, i in kept)


def _bits(slot: Slot, value: Value) -> int:
    if slot.values is None:
        distance = number(value) - slot.low
    else:
        distance = slot.codes.get(value, -1)
    if not 0 <= distance <= slot.mask:
        raise Unfit("a value does not fit into its field")
    return distance << slot.shift


def _closed(check: Prepared, bounds: Limits) -> None:
    """What the steps asked for lead to are states again, none fails, and the claims hold."""
    states, places = check.made.packed, check.packed.places
    claims = [tested(check.packed, c) for c in check.claims]
    known = dependence(check.effects)
    turns = dict[int, list[Turn]]()
    remaining = iter(states)
    while part := list(islice(remaining, _BETWEEN_LOOKS)):
        spend(bounds, 20_000)
        check_memory(bounds)
        _forget(check)
        for state in part:
            for mask, fine, test in claims:
                if state & mask not in fine:
                    if not test(state & mask):
                        raise _Wrong(Rejected("claim", "it is false in one of the states"))
                    fine.add(state & mask)
            found = turns.get(state & places)
            if found is None:
                found = turns[state & places] = _turns(check, known, state & places)
            if not any(_kept_by(turn, state, states) for turn in found):
                raise _Wrong(Rejected("closed under steps", "a step leads to a state that is not listed"))


def _kept_by(turn: Turn, state: int, states: Container[int]) -> bool:
    """Whether the steps of a turn lead to states; the thread that goes first must have one."""
    leader, moving = turn
    if leader is not None and not steps_by(leader, state):
        return False
    return all(state + step in states for moves in moving for step in steps_by(moves, state))


def steps_by(moves: Moves, state: int) -> tuple[int, ...]:
    """What the steps of a thread add to a state."""
    mask, known, make = moves
    found = known.get(state & mask)
    if found is None:
        found = known[state & mask] = make(state & mask)
    return found


def _forget(check: Prepared) -> None:
    if sum(len(known) for _, known, _ in check.moves.values()) > _REMEMBERED:
        for _, known, _ in check.moves.values():
            known.clear()


def _turns(check: Prepared, known: Dependence, places: int) -> list[Turn]:
    """The ways to step from a joint location that are enough, small ones first."""
    here = standing(check, places)
    moves = [moves_at(check, thread, place) for thread, place in enumerate(here)]
    ways = _ways(check, known, here)
    return [(None if t is None else moves[t], tuple(moves[m] for m in group)) for t, group in ways]


def standing(check: Prepared, places: int) -> list[int]:
    """Where each thread is. Raises Unfit."""
    slots = [check.packed.slots[c] for c in check.packed.counters]
    here = [places >> s.shift & s.mask for s in slots]
    if any(p >= len(t.locations) for p, t in zip(here, check.made.threads, strict=True)):
        raise Unfit("a state is at a location that does not exist")
    return here


def _ways(check: Prepared, known: Dependence, here: Sequence[int]) -> list[tuple[int | None, tuple[int, ...]]]:
    """By threads: who must be able to move, and who is stepped with it."""
    leading = [t for t, place in enumerate(here) if place in check.made.first[t]]
    groups = sorted(((tuple(sorted(persistent(t, here, known))), t) for t in leading), key=lambda g: (len(g[0]), g))
    ways: list[tuple[int | None, tuple[int, ...]]] = [(t, group) for group, t in groups if len(group) < len(here)]
    return [*ways, (None, tuple(range(len(here))))]


def _many_closed(check: Prepared, states: Columns, bounds: Limits) -> None:
    """The same as `_closed`, for many states at once."""
    from sa.checker.states_by_columns import Fault, Question, closed

    def between() -> None:
        spend(bounds, 20_000)
        check_memory(bounds)

    def moves(thread: int, place: int) -> tuple[int, Callable[[int], tuple[int, ...]]]:
        mask, _, make = moves_at(check, thread, place)
        return mask, make

    def fine(claim: Term) -> tuple[int, Callable[[int], bool]]:
        mask, _, test = tested(check.packed, claim)
        return mask, test

    known = dependence(check.effects)
    asked = Question(
        check.packed,
        check.steps,
        check.claims,
        lambda places: tuple(_ways(check, known, standing(check, places))),
        moves,
        fine,
    )
    try:
        closed(asked, states, initial_states(check, bounds), between)
    except Fault as fault:
        raise _Wrong(Rejected(*fault.args)) from None


def moves_at(check: Prepared, thread: int, place: int) -> Moves:
    """The steps of a thread from a location."""
    found = check.moves.get((thread, place))
    if found is None:
        found = check.moves[thread, place] = _made(check, thread, check.steps[thread][place])
    return found


def _made(check: Prepared, thread: int, steps: Sequence[Stepped]) -> Moves:
    packed = check.packed
    touched = frozenset[Var]().union(*(s.reads | s.updates.keys() | s.cleared for s in steps))
    needed = tuple(v for v in (*packed.counters, *packed.variables) if v in touched)
    mask, row_of = _rows(packed, needed)
    counter = packed.slots[packed.counters[thread]]
    ready = [_ready(packed, counter, s, needed) for s in steps]

    def make(part: int) -> tuple[int, ...]:
        row = row_of(part)
        found = list[int]()
        for edge in ready:
            for chosen in ((),) if edge.choices is None else extended(edge.choices, row):
                after = edge.values(row + chosen)
                if after is not None:
                    if edge.failed:
                        raise _Wrong(Rejected("failing step", "it can be taken from one of the states"))
                    new = sum(map(_bits, edge.written, after))
                    found.append(edge.moved + new - (part & edge.replaced))
        return tuple(found)

    return mask, {}, make


class _Ready(Struct, frozen=True, eq=False):
    """An edge made ready: from a row of what is needed, with choices, to the values of what is written.

    `moved` is what becomes of the counter, `replaced` are the bits that get new values or become 0.
    """

    choices: Enumeration | None
    values: Callable[[Row], Row | None]
    written: tuple[Slot, ...]
    moved: int
    replaced: int
    failed: bool


def _ready(packed: Packing, counter: Slot, step: Stepped, needed: tuple[Var, ...]) -> _Ready:
    scope = (*needed, *(c.var for c in step.choices))
    replaced = [packed.slots[v] for v in (*step.updates, *step.cleared)]
    return _Ready(
        enumeration(step.condition, needed, step.choices) if step.choices else None,
        guarded(step.condition, tuple(step.updates.values()), scope),
        tuple(packed.slots[v] for v in step.updates),
        step.target - step.source << counter.shift,
        sum(s.mask << s.shift for s in replaced),
        step.failed,
    )


def tested(packed: Packing, claim: Term) -> tuple[int, set[int], Callable[[int], bool]]:
    """The bits that a claim depends on, those with which it is known to hold, and its test."""
    needed = tuple(v for v in (*packed.counters, *packed.variables) if v in claim.free)
    mask, row_of = _rows(packed, needed)
    test = predicate(claim, needed)
    return mask, set(), lambda part: test(row_of(part))


def _rows(packed: Packing, needed: Sequence[Var]) -> tuple[int, Callable[[int], Row]]:
    """The bits of some variables, and what takes them to a row of values."""
    slots = tuple(packed.slots[v] for v in needed)
    mask = sum(s.mask << s.shift for s in slots)
    if all(s.values is None for s in slots):
        places = tuple((s.shift, s.mask, s.low) for s in slots)
        return mask, lambda part: tuple([(part >> s & m) + low for s, m, low in places])
    return mask, lambda part: tuple([_value(s, part >> s.shift & s.mask) for s in slots])


def _value(slot: Slot, code: int) -> Value:
    if slot.values is None:
        return code + slot.low
    if code >= len(slot.values):
        raise Unfit("a state has an array that is not among those of its field")
    return slot.values[code]
