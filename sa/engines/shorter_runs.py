"""Runs that refute claims of `verify` without the steps that they do not need, before anybody sees them."""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.family import copies
from sa.base.limits import LimitReached, Limits, allot, apart
from sa.certificates.families import CrowdRun, bads_of_copies
from sa.certificates.run import Run
from sa.checker.ruling import Accepted
from sa.engines.runner import Judge, Ruled
from sa.question.asked import Asked, Refuted
from sa.transform.shorten import shortened

#: Units of work for one run.
UNITS = 2_000_000


def shorter(asked: Asked, found: Ruled, judge: Judge, bounds: Limits) -> Ruled:
    """An accepted run shortened, if the checker accepts that, too; all else as it is. The work is not the engine's."""
    settled = found.settled
    if not isinstance(settled, Refuted) or not isinstance(found.ruling, Accepted):
        return found
    evidence, within = settled.evidence, allot(apart(bounds), UNITS)
    match evidence:
        case Run():
            less: Run | CrowdRun = shortened(asked.threads, settled.bad, evidence, within)
        case CrowdRun(counts, run):
            threads = (*asked.threads, *copies(asked.families, counts))
            (bad, *_) = bads_of_copies(settled.bad, asked.families, counts)
            less = CrowdRun(counts, shortened(threads, bad, run, within))
    short = replace(settled, evidence=less)
    try:
        return replace(found, settled=short) if less != evidence and isinstance(judge(short), Accepted) else found
    except LimitReached:
        # What was accepted stands.
        return found
