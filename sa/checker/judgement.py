"""What became of a certificate, as values that reports are made from."""

from __future__ import annotations

from msgspec import Struct

from sa.base.verdict import Verdict
from sa.certificates.document import Document
from sa.checker.ruling import Accepted, Rejected, Ruling, Undecided
from sa.checker.solvers import Posed


class Judged(Struct, frozen=True):
    """What the evidence says of a goal or claim, and whether that stands. An UNKNOWN has no evidence and no ruling."""

    name: str
    verdict: Verdict
    ruling: Ruling | None


class Judgement(Struct, frozen=True):
    """The rulings about a certificate. `fault` says why it was rejected as a whole; then nothing was judged.

    `open_questions` are obligations about which the second solver could not say anything, with its reasons; `kept`
    are obligations as scripts.
    """

    document: Document
    fault: Rejected | None
    judged: tuple[Judged, ...]
    obligations: int
    open_questions: tuple[tuple[Posed, str], ...]
    kept: tuple[tuple[Posed, str], ...]
    seconds: float


def worst(made: Judgement) -> Ruling:
    """The worst that was found; an UNKNOWN is neither accepted nor rejected, and neither is a claim of nothing."""
    if made.fault is not None:
        return made.fault
    if not made.judged:
        return Undecided("verdict", "nothing is claimed")
    rulings = [j.ruling or Undecided("verdict", "nothing was decided", j.name) for j in made.judged]
    for kind in (Rejected, Undecided):
        for ruling in rulings:
            if isinstance(ruling, kind):
                return ruling
    return Accepted()


def status_of(made: Judgement) -> int:
    """0 accepted, 1 rejected, 3 not settled."""
    match worst(made):
        case Accepted():
            return 0
        case Rejected():
            return 1
        case Undecided():
            return 3
