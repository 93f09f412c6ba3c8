"""All sequentially consistent executions of a program, and what may go wrong in them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from tests.frontends.c.judge.effects import Blocked
from tests.frontends.c.judge.machine import (
    FIRST,
    HEAP,
    NOT_CREATED,
    Content,
    Draft,
    Fault,
    Faulted,
    Life,
    Setting,
    State,
    Storage,
    zero,
)
from tests.frontends.c.judge.steps import Machine, machine
from tests.frontends.c.judge.syntax import Program

MAX_STATES = 20_000
#: Steps that nobody else sees in a row: more of them mean a loop that never ends.
MAX_LOCAL = 1_000


class Asked(Struct, frozen=True):
    """What is looked for besides the faults of single steps, and which executions count."""

    races: bool = False
    deadlocks: bool = False
    leaks: bool = False
    #: Whether waits end without a signal, and whether freed memory is given out again.
    spurious: bool = True
    reuse: bool = True
    most: int = MAX_STATES


class Found(Struct, frozen=True):
    """What may go wrong, where, in how many states; not `complete` where there are too many states."""

    faults: frozenset[Fault]
    places: frozenset[tuple[Fault, str]]
    states: int
    complete: bool


class _Run:
    """A search."""

    def __init__(self, made: Machine, asked: Asked) -> None:
        self.made, self.asked = made, asked
        self.faults: set[tuple[Fault, str]] = set()
        self.setting = Setting(
            made.layout,
            tuple(made.parameters),
            tuple(made.own),
            made.initial,
            asked.races,
            asked.spurious,
            asked.reuse,
        )

    def draft(self, state: State) -> Draft:
        return Draft(self.setting, state)

    def first(self) -> State:
        layout = self.made.layout
        threads = layout.threads
        values: list[Content] = [None] * len(layout.cells)
        lives = [Life.NEVER] * len(layout.objects)
        for number in (*self.made.statics, *self.made.own[0]):
            found = layout.objects[number]
            lives[number] = Life.ALIVE
            for cell, variable in enumerate(found.cells, found.base):
                values[cell] = self.made.initial.get(cell, zero(variable.type))
        know = (0,) * (threads * (3 + len(layout.cells)))
        registers = tuple((None,) * n for n in self.made.registers)
        pcs = (0, *[NOT_CREATED] * (threads - 1))
        draft = self.draft((pcs, registers, tuple(values), tuple(lives), know, 0, frozenset()))
        self.settle(draft, 0)
        return draft.freeze()

    def settle(self, draft: Draft, thread: int) -> None:
        """Take all steps that nobody else sees."""
        for _ in range(MAX_LOCAL):
            if draft.pcs[thread] < 0:
                return
            step = self.made.threads[thread][draft.pcs[thread]]
            if not step.local:
                return
            if step.effect is not None:
                step.effect.change(draft, thread, 0)
            holds = step.condition is None or step.condition(draft.registers[thread]) != 0
            draft.pcs[thread] = step.target if holds else step.otherwise
        raise Faulted(Fault.AMBIGUOUS, "an endless loop")

    def after(self, state: State) -> Iterator[State | None]:
        """The states after a step, None for the end of the process."""
        for thread, pc in enumerate(state[0]):
            if pc < 0:
                continue
            step = self.made.threads[thread][pc]
            assert step.effect is not None
            for choice, draft in self._choices(state, thread):
                created = [i for i, p in enumerate(draft.pcs) if p == NOT_CREATED]
                try:
                    draft.pcs[thread] = step.target
                    step.effect.change(draft, thread, choice)
                    if draft.over:
                        self._leaks(draft)
                        yield None
                        continue
                    for other in (thread, *created):
                        self.settle(draft, other)
                except Blocked:
                    continue
                except Faulted as wrong:
                    self.faults.add((wrong.fault, step.text))
                    yield None
                    continue
                self.faults.update((Fault.RACE, t) for t in draft.races_found)
                yield draft.freeze()

    def _choices(self, state: State, thread: int) -> Iterator[tuple[int, Draft]]:
        step = self.made.threads[thread][state[0][thread]]
        assert step.effect is not None
        count = 1
        if step.effect.choices is not None:
            try:
                count = step.effect.choices(self.draft(state), thread)
            except Faulted:
                count = 1
        for choice in range(max(count, 1)):
            yield choice, self.draft(state)

    def _leaks(self, draft: Draft) -> None:
        if not self.asked.leaks:
            return
        layout = draft.layout
        pending = list(self.made.statics)
        reached = set(pending)
        while pending:
            found = layout.objects[pending.pop()]
            if draft.lives[layout.owner[found.base]] is not Life.ALIVE:
                continue
            for cell in range(found.base, found.base + found.size):
                value = draft.values[cell]
                if isinstance(value, int) and FIRST <= value < FIRST + len(draft.values):
                    target = layout.owner[value - FIRST]
                    if target not in reached:
                        reached.add(target)
                        pending.append(target)
        for number, found in enumerate(layout.objects):
            if found.storage is Storage.HEAP and draft.lives[number] is Life.ALIVE and number not in reached:
                self.faults.add((Fault.LEAK, found.name))

    def stuck(self, state: State) -> None:
        """A state without a next one: a deadlock unless all threads are over, which ends the process."""
        if all(pc < 0 for pc in state[0]):
            self._leaks(self.draft(state))
        elif self.asked.deadlocks:
            waiting = [self.made.threads[t][pc].text for t, pc in enumerate(state[0]) if pc >= 0]
            self.faults.add((Fault.DEADLOCK, "; ".join(waiting)))


def explore(program: Program, asked: Asked) -> Found:
    """What may go wrong in a program."""
    run = _Run(machine(program, HEAP), asked)
    try:
        start = run.first()
    except Faulted as wrong:
        return Found(frozenset({wrong.fault}), frozenset({(wrong.fault, wrong.where)}), 1, True)
    seen, pending = {start}, [start]
    while pending and len(seen) <= asked.most:
        state = pending.pop()
        moved = False
        for following in run.after(state):
            moved = True
            if following is not None and following not in seen:
                seen.add(following)
                pending.append(following)
        if not moved:
            run.stuck(state)
    faults = frozenset(f for f, _ in run.faults)
    return Found(faults, frozenset(run.faults), len(seen), not pending)
