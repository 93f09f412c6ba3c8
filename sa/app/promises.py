"""Guarantees in programs that `refine` compares: it does not use them, but warns where one is broken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic

from msgspec.structs import replace

from sa.automata.program import Program
from sa.base.diagnostic import InputError
from sa.base.limits import remaining
from sa.base.verdict import Verdict
from sa.conditions.environment import declared
from sa.engines.options import Options
from sa.engines.verify import Options as Asking
from sa.engines.verify import verify
from sa.frontends.opened import opened

#: The most seconds for this, and the most of the time that is left.
SECONDS, SHARE = 3.0, 0.5


def broken_promises(programs: Sequence[Program], options: Options) -> Iterator[str]:
    """A remark for each guarantee that a run of its program breaks."""
    for program in programs:
        if program.guarantees and not program.families:
            yield from _broken(program, options)


def _broken(program: Program, options: Options) -> Iterator[str]:
    is_open = any(declared(t) for t in program.threads)
    alone = replace(program, invariants=(), ends=())
    try:
        asked = opened(alone) if is_open else alone
    except InputError:
        return
    own = len(program.guarantees)
    left = remaining(options.limits)
    seconds = SECONDS if left is None else min(SECONDS, SHARE * left)
    bounds = replace(options.limits, deadline=monotonic() + seconds)
    kept = {g.origin for g in asked.guarantees[:own]}
    for finding in verify(replace(asked, guarantees=asked.guarantees[:own]), Asking(bounds)).findings:
        if finding.verdict is Verdict.REFUTED and finding.claim.origin in kept:
            how = f"`sacheck verify {'--open ' if is_open else ''}{program.source.name}` shows a run"
            yield f"{finding.claim.thread} breaks its {finding.claim.what}: {how}"
