"""The three answers, and why there is none."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class Verdict(Enum):
    """What the tool says of a claim (THEORY section 2)."""

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    UNKNOWN = "UNKNOWN"


class Reason(Enum):
    """Why an answer is UNKNOWN."""

    TIMEOUT = "the time limit was reached"
    MEMORY = "the memory limit was reached"
    INTERRUPTED = "it was interrupted"
    CRASHED = "the worker process died"
    BOUND = "a bound of the search was reached"
    SOLVER = "the solver could not decide a question"
    ENVIRONMENT = "the environment is too coarse"
    UNSUPPORTED = "the engine does not support this"
    UNDEFINED = "the counterexample needs undefined behaviour"
    CHECKER = "the checker did not accept the evidence"


class Unknown(Struct, frozen=True):
    """No answer: the reason and what is known so far, in words."""

    reason: Reason
    detail: str = ""


#: Exit status of each verdict; 2 and 4 are wrong input and an internal error.
EXIT_STATUS = {Verdict.PROVED: 0, Verdict.REFUTED: 1, Verdict.UNKNOWN: 3}
EXIT_INPUT = 2
EXIT_INTERNAL = 4


def worst_status(statuses: list[int]) -> int:
    """The exit status of several goals: the worst counts, in the order 4, 2, 1, 3, 0."""
    return next((s for s in (4, 2, 1, 3) if s in statuses), 0)
