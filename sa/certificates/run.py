"""Runs of a whole program, thread by thread interleaved: what simulation makes and refutations of claims show."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct

from sa.automata.automaton import Edge
from sa.automata.trace import Configuration, Move
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
