"""Whether a closed program preserves that runs end, or that nobody is stuck, where both sides have few states.

Beside each concrete state stand all abstract states that runs from a related start with the same visible actions lead
to. Where the concrete side can go on for ever without a visible action one of them must be able to, too; where it is
stuck, one of them must be stuck or at its end (THEORY 15).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Automaton, Kind, Variable, edges_from
from sa.automata.components import components, on_cycles
from sa.automata.ranges import within
from sa.base.limits import Limits, check_memory, spend
from sa.certificates.goal import Goal
from sa.certificates.preservation import Kept, Matched, Node, Unmatched
from sa.certificates.run import Ending, Run, Snapshot, Turn, turn_of
from sa.explicit.instantiate import Row, by_cost, picks
from sa.explicit.machine import Action, Machine, Stride, machine
from sa.terms.build import land
from sa.terms.term import Term, Var

#: More states of a side, or pairs of a state and a set, than these are too many; so are ranges of more values.
MOST = 30_000

#: A concrete state and the number of a set of abstract ones.
Pair: TypeAlias = tuple[int, int]


class _TooMany(Exception):
    """There are more states or values than are looked at."""


class _Sets(Struct, eq=False):
    """Sets of abstract states that silent steps do not leave, by number; those from which a run can go on for ever."""

    machine: Machine
    members: list[frozenset[int]] = field(default_factory=list)
    numbers: dict[frozenset[int], int] = field(default_factory=dict)
    cycling: list[frozenset[int]] = field(default_factory=list)

    def number(self, states: Set[int]) -> int:
        """The number of the set of these states and of all that silent steps lead to."""
        found, frontier = set(states), list(states)
        silent = dict[int, list[int]]()
        while frontier:
            here = frontier.pop()
            silent[here] = [s.after for s in _steps(self.machine, here) if s.action is None]
            fresh = [s for s in silent[here] if s not in found]
            found.update(fresh)
            frontier += fresh
        key = frozenset(found)
        if key not in self.numbers:
            self.numbers[key] = len(self.members)
            self.members.append(key)
            self.cycling.append(frozenset(on_cycles(key, silent)))
        return self.numbers[key]

    def showing(self, number: int, action: Action) -> frozenset[int]:
        """What a step that is seen so leads to."""
        return frozenset(
            s.after for state in self.members[number] for s in _steps(self.machine, state) if s.action == action
        )


class _Search(Struct, frozen=True, eq=False):
    """All pairs that are reached, in this order, with the pair and the step that led there, and where they lead."""

    concrete: Machine
    sets: _Sets
    came: dict[Pair, tuple[Pair, Stride] | None] = field(default_factory=dict)
    steps: dict[Pair, tuple[tuple[Stride, Pair], ...]] = field(default_factory=dict)


def by_all_states(goal: Goal, kept: Kept, bounds: Limits) -> Matched | Unmatched | None:
    """All states as evidence, or a run that no abstract one matches; None where there are too many to be looked at.

    Raises LimitReached and Unevaluable.
    """
    concrete, abstract = (_whole(a) for a in (goal.concrete, goal.abstract))
    search = _Search(concrete, _Sets(abstract))
    try:
        stuck = _explore(goal, kept, search, bounds)
    except _TooMany:
        return None
    if stuck is not None:
        return Unmatched(_run(goal, search, stuck, ()))
    if kept is Kept.PROGRESS:
        return _evidence(search, dict.fromkeys(search.steps, 0))
    silent = {p: [q for s, q in steps if s.action is None] for p, steps in _ending(search).items()}
    cycling = on_cycles(silent, silent)
    found = next((p for p in search.came if p in cycling), None)
    if found is None:
        ranks = {p: n for n, (p,) in enumerate(components(silent, silent))}
        return _evidence(search, {p: ranks.get(p, 0) for p in search.steps})
    return Unmatched(_run(goal, search, found, _round(search, found)))


def _explore(goal: Goal, kept: Kept, search: _Search, bounds: Limits) -> Pair | None:
    """Go through all pairs. The first one is told that shows that progress is not preserved. Raises _TooMany."""
    concrete, sets, outgoing = search.concrete, search.sets, edges_from(goal.concrete)
    for state, beside in _starts(goal, concrete, sets.machine):
        search.came.setdefault((state, sets.number(beside)), None)
    frontier = list(search.came)
    while frontier:
        later = list[Pair]()
        for pair in frontier:
            state, number = pair
            search.steps[pair] = ()
            if goal.loops_end and sets.cycling[number]:
                continue  # what is undefined matches whatever comes next
            strides = _steps(concrete, state)
            unfinished = any(e.thread not in goal.serving for e in outgoing[concrete.location(state).name])
            stuck = kept is Kept.PROGRESS and not strides and unfinished
            if stuck and all(_steps(sets.machine, s) for s in sets.members[number]):
                return pair
            search.steps[pair] = tuple(_onward(sets, number, strides))
            for stride, after in search.steps[pair]:
                if after not in search.came:
                    search.came[after] = pair, stride
                    later.append(after)
        spend(bounds, 200)
        check_memory(bounds)
        if max(len(search.came), len(concrete.rows), len(sets.machine.rows)) > MOST:
            raise _TooMany
        frontier = later
    return None


def _onward(sets: _Sets, number: int, strides: Iterable[Stride]) -> Iterator[tuple[Stride, Pair]]:
    for stride in strides:
        beside = number if stride.action is None else sets.number(sets.showing(number, stride.action))
        yield stride, (stride.after, beside)


def _ending(search: _Search) -> Mapping[Pair, tuple[tuple[Stride, Pair], ...]]:
    """The steps of pairs beside which no abstract run goes on for ever."""
    return {p: steps for p, steps in search.steps.items() if not search.sets.cycling[p[1]]}


def _evidence(search: _Search, ranks: Mapping[Pair, int]) -> Matched:
    below, above, sets = search.concrete, search.sets.machine, search.sets
    states = {state: n for n, state in enumerate(dict.fromkeys(state for state, _ in ranks))}
    used = {number: n for n, number in enumerate(dict.fromkeys(number for _, number in ranks))}
    others = {s: n for n, s in enumerate(sorted({s for number in used for s in sets.members[number]}))}
    return Matched(
        tuple(map(below.configuration, states)),
        tuple(map(above.configuration, others)),
        tuple(tuple(sorted(others[s] for s in sets.members[number])) for number in used),
        tuple(Node(states[state], used[number], rank) for (state, number), rank in ranks.items()),
        tuple(sorted({others[s] for number in used for s in sets.cycling[number]})),
    )


def _round(search: _Search, begins: Pair) -> tuple[Stride, ...]:
    """A shortest cycle of silent steps."""
    known: dict[Pair, tuple[Pair, Stride]] = {}
    frontier = [begins]
    while begins not in known:
        later = list[Pair]()
        for pair in frontier:
            for stride, after in search.steps[pair]:
                if stride.action is None and after not in known:
                    known[after] = pair, stride
                    later.append(after)
        frontier = later
    way, here = list[Stride](), begins
    while not way or here != begins:
        here, stride = known[here]
        way.append(stride)
    return tuple(reversed(way))


def _run(goal: Goal, search: _Search, last: Pair, cycle: tuple[Stride, ...]) -> Run:
    """The run to a pair, and around the cycle, as one of the concrete side as the only thread."""
    way, here = list[Stride](), last
    while (came := search.came[here]) is not None:
        here, stride = came
        way.append(stride)
    name = goal.concrete.name
    begun = search.concrete.configuration(here[0])
    shared = {v.var: begun.values[v.var] for v in goal.concrete.variables if v.kind is not Kind.LOCAL}
    start = there = Snapshot(shared, {name: begun})
    turns = list[Turn]()
    for stride in (*reversed(way), *cycle):
        choices = {c.var: x for c, x in zip(stride.edge.choices, stride.picked, strict=True)}
        turns.append(turn_of(name, stride.edge, choices, there))
        there = turns[-1].after
    if not cycle:
        return Run(start, tuple(turns), Ending.BLOCKED)
    return Run(start, tuple(turns), Ending.REPEATED, len(way))


def _whole(automaton: Automaton) -> Machine:
    """The automaton on all values of all variables."""
    everything = frozenset(v.var for v in automaton.variables)
    return machine(automaton, (), (everything,) * len(automaton.locations), MOST)


def _steps(side: Machine, state: int) -> tuple[Stride, ...]:
    """All steps from a state. Raises _TooMany where they are not all."""
    found = side.steps(state)
    if found.open:
        raise _TooMany
    return found.strides


def _starts(goal: Goal, concrete: Machine, abstract: Machine) -> Iterator[tuple[int, frozenset[int]]]:
    """Each concrete start with the abstract ones that are related to it. Raises _TooMany."""
    first, second = (side.number_of[a.initial] for side, a in ((concrete, goal.concrete), (abstract, goal.abstract)))
    own = tuple(v for v in goal.abstract.variables if v.var not in concrete.order)
    order = (*concrete.order, *(v.var for v in own))
    related = (f.term for f in (*goal.kappa, *goal.iota))
    wanted = land(_begun(goal.abstract), *related)
    for row in _rows(_begun(goal.concrete), (), goal.concrete.variables, ()):
        rows = (dict(zip(order, (*row, *more), strict=True)) for more in _rows(wanted, concrete.order, own, row))
        beside = frozenset(abstract.number(second, tuple(values[v] for v in abstract.order)) for values in rows)
        yield concrete.number(first, row), beside


def _begun(automaton: Automaton) -> Term:
    place = next(q for q in automaton.locations if q.name == automaton.initial)
    return land(automaton.init, place.inv, *map(within, automaton.variables))


def _rows(formula: Term, known: Sequence[Var], unknown: Sequence[Variable], row: Row) -> Iterator[Row]:
    """All values that make a formula true. Raises _TooMany where it is not known that they are all."""
    how, missed = picks(formula, known, unknown, (), MOST), list[Row]()
    for looks, (_, found) in enumerate(by_cost(how, row, missed)):
        if looks > MOST:
            raise _TooMany
        if found is not None:
            yield found
    if missed:
        raise _TooMany
