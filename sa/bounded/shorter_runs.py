"""Shorter runs by evaluation alone: what follows a violation goes, then steps that it does not need, then switches.

Nothing depends on this being right: what is left is a run by replay, or the run stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from msgspec import Struct
from msgspec.structs import replace

from sa.explicit.system import Act, System
from sa.terms.evaluate import Unevaluable, evaluate
from sa.terms.sort import Value
from sa.terms.term import Var

#: So many steps are evaluated for one run, at most.
MOST = 6_000


class Step(Struct, frozen=True, eq=False):
    """A step with the values of its choices."""

    act: Act
    chosen: Mapping[Var, Value]

    @property
    def thread(self) -> int:
        """Whose step it is."""
        return self.act.arc.thread


class Script(Struct, frozen=True, eq=False):
    """What a run does from values of all variables on; `ending` is a step that must not be possible, if there is one.

    Without it a claim is false at the end.
    """

    start: Mapping[Var, Value]
    steps: tuple[Step, ...]
    ending: Step | None


class _Work(Struct, eq=False):
    system: System
    question: int
    order: Sequence[int]
    left: int = MOST


def rounds_of(script: Script, order: Sequence[int]) -> int:
    """The rounds in which threads take these steps, if they have their turns in this order; 1 where there are none."""
    turns = [order.index(thread) for thread, _ in groupby(script.steps, lambda step: step.thread)]
    return 1 + sum(later < earlier for earlier, later in pairwise(turns))


def cut(s: System, question: int, script: Script) -> Script:
    """The run up to where something is bad first."""
    return _cut(_Work(s, question, ()), script) or script


def shortened(s: System, question: int, script: Script, order: Sequence[int]) -> Script:
    """A run with fewer steps or switches into what is bad about the question, in no more rounds."""
    work = _Work(s, question, order)
    best = _cut(work, script)
    if best is None:
        return script
    for shorter in (_with_fewer_steps, _with_fewer_switches):
        best = shorter(work, best)
    return best


def _cut(work: _Work, script: Script) -> Script | None:
    """The part of a run up to where something is bad first; None where it is no run, or nothing is bad."""
    s, claim, ending = work.system, work.system.claims[work.question], script.ending
    state = dict(script.start) | dict(zip(s.counters, s.start, strict=True))
    try:
        for number in range(len(script.steps) + 1):
            bad = _can(s, ending, state) if ending is not None else claim is not None and not evaluate(claim, state)
            if bad:
                return replace(script, steps=script.steps[:number])
            if number == len(script.steps) or not _can(s, step := script.steps[number], state):
                return None
            work.left -= 1
            scope = {**state, **step.chosen}
            state.update({v: evaluate(t, scope) for v, t in step.act.updates.items()})
            state[s.counters[step.thread]] = step.act.arc.target
    except Unevaluable:
        pass
    return None


def _can(s: System, step: Step, state: Mapping[Var, Value]) -> bool:
    """Whether a step can be taken in a state."""
    is_there = state[s.counters[step.thread]] == step.act.arc.source
    return is_there and bool(evaluate(step.act.condition, {**state, **step.chosen}))


def _with_fewer_steps(work: _Work, best: Script) -> Script:
    """Without the last turns and steps of threads, and without ways around loops."""
    found: Script | None = best
    while found is not None:
        best = found
        found = _first(work, best, (*_without_ends(best), *_without_loops(best)), len(best.steps) - 1)
    return best


def _with_fewer_switches(work: _Work, best: Script) -> Script:
    """With turns of one thread side by side where nothing forbids it."""
    found: Script | None = best
    while found is not None:
        best = found
        most, rounds = len(_turns(best)) - 1, rounds_of(best, work.order)
        found = next(
            (
                shorter
                for steps in _joined(best)
                if len(_turns(replace(best, steps=steps))) <= most
                and (shorter := _tried(work, best, steps)) is not None
                and rounds_of(shorter, work.order) <= rounds
            ),
            None,
        )
    return best


def _first(work: _Work, best: Script, candidates: Sequence[tuple[Step, ...]], most: int) -> Script | None:
    """The first of these that is a run into what is bad, of so many steps at most."""
    tried = (_tried(work, best, steps) for steps in candidates if len(steps) <= most)
    return next((shorter for shorter in tried if shorter is not None), None)


def _tried(work: _Work, best: Script, steps: tuple[Step, ...]) -> Script | None:
    return _cut(work, replace(best, steps=steps)) if work.left > 0 else None


def _turns(script: Script) -> list[range]:
    """Where the turns of threads are."""
    ends = [0, *(n for n, (a, b) in enumerate(pairwise(script.steps), 1) if a.thread != b.thread), len(script.steps)]
    return [range(a, b) for a, b in pairwise(ends) if a < b]


def _without_ends(script: Script) -> Iterator[tuple[Step, ...]]:
    """Without what a thread does from the start of one of its turns on, longest first, and without its last step."""
    steps = script.steps
    for thread in sorted({step.thread for step in steps}):
        starts = [turn.start for turn in _turns(script) if steps[turn.start].thread == thread]
        last = max(n for n, step in enumerate(steps) if step.thread == thread)
        for start in dict.fromkeys((*starts, last)):
            yield tuple(step for n, step in enumerate(steps) if n < start or step.thread != thread)


def _without_loops(script: Script) -> Iterator[tuple[Step, ...]]:
    """Without what a thread does between two visits of one place."""
    steps = script.steps
    for thread in sorted({step.thread for step in steps}):
        own = [n for n, step in enumerate(steps) if step.thread == thread]
        seen = dict[int, int]()
        for n in own:
            place = steps[n].act.arc.source
            if place in seen:
                around = {m for m in own if seen[place] <= m < n}
                yield tuple(step for m, step in enumerate(steps) if m not in around)
            seen[place] = n


def _joined(script: Script) -> Iterator[tuple[Step, ...]]:
    """With two turns of a thread side by side: the second one earlier, or the first one later."""
    steps, turns = script.steps, _turns(script)
    for i, first in enumerate(turns):
        own = steps[first.start].thread
        second = next((turn for turn in turns[i + 1 :] if steps[turn.start].thread == own), None)
        if second is not None:
            before, between = steps[: first.start], steps[first.stop : second.start]
            one, other, after = steps[first.start : first.stop], steps[second.start : second.stop], steps[second.stop :]
            yield (*before, *one, *other, *between, *after)
            yield (*before, *between, *one, *other, *after)
