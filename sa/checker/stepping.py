"""Steps of a closed program between packed states (`certificates.states`), made from the definitions.

A packed state stands for all states that agree with it on the locations, on shared fields, and on the locals that
matter there. Whatever is read is looked up in the fields; where something else would have to be read, the evidence is
rejected. Tests of invariants that speak of more are left out: then more steps are possible, not fewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from sa.automata.automaton import FAIL, Automaton, Edge, Kind, Variable
from sa.certificates.run import Bad
from sa.certificates.states import Field, States, place_widths
from sa.checker.side import within
from sa.checker.threads import apart
from sa.terms.build import conjoined, conjuncts, eq, integer, land, lor, variable
from sa.terms.sort import INT, ArraySort, Value
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class Unfit(Exception):
    """The evidence does not fit the threads: says why."""


class Slot(Struct, frozen=True, eq=False):
    """Where a value stands: `(packed >> shift & mask) + low`, or the value at that place of `values`.

    `codes` are the places of the values.
    """

    shift: int
    mask: int
    low: int
    values: tuple[Value, ...] | None = None
    codes: Mapping[Value, int] = field(default_factory=dict)


class Stepped(Struct, frozen=True, eq=False):
    """An edge between packed states: where `condition` holds before it for some choices, the updates happen.

    `cleared` are fields that become 0. `failed` says that taking it is something bad of the evidence.
    """

    source: int
    target: int
    condition: Term
    updates: Mapping[Var, Term]
    choices: tuple[Variable, ...]
    cleared: frozenset[Var]
    failed: bool

    @property
    def reads(self) -> frozenset[Var]:
        """The fields and counters that it depends on."""
        free = self.condition.free.union(*(t.free for t in self.updates.values()))
        return free - {c.var for c in self.choices}


class Packing(Struct, frozen=True, eq=False):
    """The threads with names of their own, where everything stands, and which fields are shared.

    `invariants` are the conjuncts by thread and location, ranges included.
    """

    threads: tuple[Automaton, ...]
    invariants: tuple[tuple[tuple[Term, ...], ...], ...]
    counters: tuple[Var, ...]
    variables: Mapping[Var, Variable]
    slots: Mapping[Var, Slot]
    shared: frozenset[Var]
    places: int


def packing(made: States) -> Packing:
    """How the states of the evidence are packed. Raises Unfit."""
    threads = tuple(apart(t) for t in made.threads)
    variables = {v.var: v for t in reversed(threads) for v in t.variables}
    counters = tuple(variable(f"at {t.name}", INT) for t in threads)
    if not variables.keys().isdisjoint(counters):
        raise Unfit("a variable has the name of a counter")
    named = [f.var for f in made.fields]
    if len(set(named)) < len(named) or not variables.keys() >= set(named):
        raise Unfit("a field occurs twice, or its variable does not exist")
    slots, shift = dict[Var, Slot](), 0
    for counter, width in zip(counters, place_widths(made.threads), strict=True):
        slots[counter] = Slot(shift, (1 << width) - 1, 0)
        shift += width
    places = (1 << shift) - 1
    for part in made.fields:
        if _field_fault(part):
            raise Unfit(f"the field of {part.var.name} cannot hold its values")
        codes = {x: i for i, x in enumerate(part.values or ())}
        slots[part.var] = Slot(shift, (1 << part.width) - 1, part.low, part.values, codes)
        shift += part.width
    shared = frozenset(v for v in named if variables[v].kind is not Kind.LOCAL)
    _same_shape(made, threads, frozenset(named))
    invariants = tuple(tuple(_invariant(t, i) for i in range(len(t.locations))) for t in threads)
    return Packing(threads, invariants, counters, variables, slots, shared, places)


def _field_fault(part: Field) -> bool:
    if isinstance(part.var.sort, ArraySort):
        return part.width < 0 or part.low != 0 or part.values is None or len(set(part.values)) < len(part.values)
    return part.width < 0 or (part.low != 0 and part.var.sort != INT) or part.values is not None


def _same_shape(made: States, threads: Sequence[Automaton], named: frozenset[Var]) -> None:
    if len(made.kept) != len(threads) or len(made.first) != len(threads):
        raise Unfit("the relevant variables are not given for each thread")
    for thread, kept in zip(threads, made.kept, strict=True):
        own = {v.var for v in thread.variables if v.kind is Kind.LOCAL}
        if len(kept) != len(thread.locations) or any(not here <= own & named for here in kept):
            raise Unfit(f"{thread.name}: the relevant variables are not given for each location, or are not fields")


def steps_from(made: States, packed: Packing, thread: int, place: int) -> Iterator[Stepped]:
    """The edges of a thread from one of its locations. Raises Unfit."""
    automaton, kept = packed.threads[thread], made.kept[thread]
    number = {q.name: i for i, q in enumerate(automaton.locations)}
    for written, edge in zip(made.threads[thread].edges, automaton.edges, strict=True):
        if number[edge.source] == place:
            target = number[edge.target]
            there = packed.shared | kept[target]
            updates = {v: t for v, t in edge.updates if v in there}
            tests = tuple(_tests(made, packed, thread, place, edge))
            asked, choices = _asked(edge, (*tests, *updates.values()))
            read = frozenset[Var]().union(*(t.free for t in (*asked, *updates.values()))) - {c.var for c in choices}
            if not read <= packed.shared | kept[place] or not kept[target] <= kept[place] | updates.keys():
                raise Unfit(f"{automaton.name}: a step from {edge.source} depends on what the states do not determine")
            failed = any(_is_failing(bad, automaton.name, written) for bad in made.never)
            cleared = kept[place] - kept[target]
            yield Stepped(place, target, land(*asked, *tests), updates, choices, cleared, failed)


def _asked(edge: Edge, others: Sequence[Term]) -> tuple[list[Term], tuple[Variable, ...]]:
    """The guard and the ranges of choices; without choices that only their own range speaks of: some value does."""
    ranges = {c: conjuncts(within(c)) for c in edge.choices}
    guard = [f for f in conjuncts(edge.guard) if all(f not in formulas for formulas in ranges.values())]
    read = frozenset[Var]().union(*(t.free for t in (*guard, *others)))
    choices = tuple(c for c in edge.choices if c.var in read)
    return [*guard, *(f for c in choices for f in ranges[c])], choices


def _tests(made: States, packed: Packing, thread: int, place: int, edge: Edge) -> Iterator[Term]:
    """What invariants ask of the state before a step, so that they hold after it, as far as fields can tell."""
    updates = dict(edge.updates)
    automaton = packed.threads[thread]
    own = next(f for f, q in zip(packed.invariants[thread], automaton.locations, strict=True) if q.name == edge.target)
    known = packed.shared | made.kept[thread][place] | {c.var for c in edge.choices}
    for formula in own:
        if formula in packed.invariants[thread][place] and formula.free.isdisjoint(updates):
            continue
        test = substitute(formula, updates)
        if test.free <= known:
            yield test
    for other in range(len(packed.threads)):
        if other != thread:
            yield from _others_tests(made, packed, other, (own, updates, known))


def _others_tests(
    made: States,
    packed: Packing,
    other: int,
    step: tuple[tuple[Term, ...], Mapping[Var, Term], frozenset[Var]],
) -> Iterator[Term]:
    """The same for invariants of another thread, which ask for it only at some of its locations."""
    own, updates, known = step
    invariants = packed.invariants[other]
    for formula in dict.fromkeys(f for formulas in invariants for f in formulas):
        if formula in own or formula.free.isdisjoint(updates):
            continue
        there = [i for i, formulas in enumerate(invariants) if formula in formulas]
        locals_ = frozenset[Var].intersection(*(made.kept[other][i] for i in there))
        test = substitute(formula, updates)
        if test.free <= known | locals_:
            away = (i for i in range(len(invariants)) if i not in there)
            yield lor(test, *(eq(packed.counters[other], integer(i)) for i in away))


def _invariant(automaton: Automaton, place: int) -> tuple[Term, ...]:
    return conjoined((automaton.locations[place].inv, *(within(v) for v in automaton.variables)))


def _is_failing(bad: Bad, thread: str, edge: Edge) -> bool:
    if bad.failing is None or edge.label is None or edge.label.action != FAIL:
        return False
    return bad.failing.thread in (None, thread) and bad.failing.edge in (None, edge)
