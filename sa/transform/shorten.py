"""Shorter runs into the same violation: steps that it does not need are left out (delta debugging, Zeller 2002).

A part of the steps is left out and the rest is taken as far as it can be: a step that is not possible by then is left
out, too. What is left is a run, and it is kept if it still ends in what is bad. Parts are halved down to single steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.base.limits import LimitReached, Limits, spend
from sa.certificates.run import Bad, Ending, Run, Snapshot, Turn, turn_of
from sa.terms.evaluate import Unevaluable, holds
from sa.terms.sort import Value
from sa.terms.substitute import local_of
from sa.terms.term import Term, Var

#: Runs that are no longer than this are short enough.
SHORT = 12

#: Units of a step that is taken again.
STEP = 50


def shortened(threads: tuple[Automaton, ...], bad: Bad, run: Run, bounds: Limits) -> Run:
    """The run without steps that it does not need, as far as the work of `bounds` goes. Nothing is believed of it."""
    ends = _end(bad, run)
    if len(run.turns) <= SHORT or ends is None:
        return run
    turns, size = run.turns, len(run.turns) // 2
    try:
        while size:
            place = 0
            while place < len(turns):
                less = _again(threads, run.start, (*turns[:place], *turns[place + size :]), ends, bounds)
                if less is None:
                    place += size
                else:
                    turns = less
            size //= 2
    except (LimitReached, Unevaluable):
        # What was found until then is a run.
        pass
    return replace(run, turns=turns)


def _end(bad: Bad, run: Run) -> Callable[[Turn], bool] | None:
    """Whether a run may end after a step; None where it does not end in a state or a step that is bad."""
    claim = bad.claim
    match run.ending:
        case Ending.FAILED if run.turns:
            last = run.turns[-1]
            return lambda turn: turn.thread == last.thread and turn.move.edge == last.move.edge
        case Ending.VIOLATED if claim is not None:
            return lambda turn: not holds(claim, _told(claim, turn.after))
        case _:
            return None


def _told(claim: Term, there: Snapshot) -> dict[Var, Value]:
    """What a claim speaks of, in a state."""
    values = dict(there.shared)
    for name, configuration in there.threads.items():
        values |= {local_of(v, name): x for v, x in configuration.values.items() if v not in there.shared}
    for v in claim.free:
        if v.name.place is not None and v.name.thread is not None:
            values[v] = there.threads[v.name.thread].location == v.name.place
    return values


def _again(
    threads: Sequence[Automaton], start: Snapshot, turns: Sequence[Turn], ends: Callable[[Turn], bool], bounds: Limits
) -> tuple[Turn, ...] | None:
    """Those of the steps that are possible one after the other, up to the end; None where none of them is one.

    Raises LimitReached and Unevaluable.
    """
    invariants = {t.name: {q.name: q.inv for q in t.locations} for t in threads}
    here, made = start, list[Turn]()
    for turn in turns:
        spend(bounds, STEP)
        edge, before = turn.move.edge, here.threads[turn.thread]
        if edge.source != before.location or not holds(edge.guard, {**before.values, **turn.move.choices}):
            continue
        step = turn_of(turn.thread, edge, turn.move.choices, here)
        if not all(holds(invariants[n][c.location], c.values) for n, c in step.after.threads.items()):
            continue
        made.append(step)
        here = step.after
        if ends(step):
            return tuple(made)
    return None
