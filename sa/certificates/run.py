"""Runs of a whole program, thread by thread interleaved: what simulation makes and refutations of claims show."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct

from sa.automata.automaton import Edge
from sa.automata.trace import Configuration, Move
from sa.terms.evaluate import evaluate
from sa.terms.sort import Value
from sa.terms.term import Term, Var


class Ending(Enum):
    """Why a run ends."""

    FINISHED = "all threads are at their ends"
    FAILED = "a thread has failed"
    VIOLATED = "the claim is false here"
    BLOCKED = "no thread can move"
    UNDECIDED = "no thread can move with the small values that were tried"
    STOPPED = "the number of steps was reached"
    REPEATED = "the cycle begins again"


class Snapshot(Struct, frozen=True):
    """A state of the program: the shared values, and for each thread its location and its own variables.

    A thread's configuration gives the shared values too.
    """

    shared: Mapping[Var, Value]
    threads: Mapping[str, Configuration]


class Turn(Struct, frozen=True):
    """A step of one thread, with the values that its label shows. `move.after` is over the thread's variables."""

    thread: str
    move: Move
    shown: tuple[Value, ...]
    after: Snapshot


class Run(Struct, frozen=True):
    """A run: where it starts, the steps and why there are no more.

    Of one that goes on for ever, the steps behind the first `cycle` ones are taken again and again.
    """

    start: Snapshot
    turns: tuple[Turn, ...]
    ending: Ending
    cycle: int | None = None


class Failing(Struct, frozen=True):
    """A step labelled `fail`: of this thread and along this edge, of any where None."""

    thread: str | None = None
    edge: Edge | None = None


class Bad(Struct, frozen=True):
    """What a run refutes: that no such step is taken, that `claim` holds in every state; one of the two or both.

    `claim` is over parameters, globals, locals `T.x` and Boolean variables `at T.CS`: thread T is at its location CS.
    """

    failing: Failing | None
    claim: Term | None


def turn_of(name: str, edge: Edge, choices: Mapping[Var, Value], here: Snapshot) -> Turn:
    """A step of a thread along an edge with these choices. Each thread has the shared variables that it knows.

    Raises Unevaluable.
    """
    values = here.threads[name].values
    before = {**values, **choices}
    after = Configuration(edge.target, {**values, **{v: evaluate(t, before) for v, t in edge.updates}})
    shared = {v: after.values.get(v, x) for v, x in here.shared.items()}
    threads = {
        other: after
        if other == name
        else Configuration(there.location, {**there.values, **{v: shared[v] for v in there.values if v in shared}})
        for other, there in here.threads.items()
    }
    shown = tuple(evaluate(t, before) for t in edge.label.values) if edge.label else ()
    return Turn(name, Move(edge, choices, after), shown, Snapshot(shared, threads))
