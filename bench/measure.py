"""One refinement question, from text to checked answer, measured. The only place that knows how the tool is called."""

from __future__ import annotations

import contextlib
import resource
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sa.app.refine import RefineRequest, Relate, refine
from sa.base.limits import limits
from sa.engines.options import Options
from sa.engines.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Measurement:
    """An outcome and what it cost: wall seconds altogether and by phase, peak memory of the process in MiB."""

    outcome: Outcome
    total: float
    seconds: Mapping[str, float]
    memory: float


def ask(abstract: Path, concrete: Path, timeout: float | None = None, relate: Relate = Relate.AS_ASKED) -> Outcome:
    """The tool's answer, asked as the command line asks. Raises InputError and LimitReached."""
    options = Options(limits(timeout, None))
    (answer,) = refine(RefineRequest((str(abstract), str(concrete)), split=False, options=options, relate=relate))
    return answer.outcome


def measure(abstract: Path, concrete: Path, timeout: float | None = None) -> Measurement:
    """`ask`, measured. Raises the same."""
    reset_peak_memory()
    start = time.perf_counter()
    outcome = ask(abstract, concrete, timeout)
    return Measurement(outcome, time.perf_counter() - start, phases(outcome), peak_memory())


def phases(outcome: Outcome) -> dict[str, float]:
    """Seconds by phase, those of the outcome itself first, then the sums over its goals."""
    seconds = dict(outcome.seconds)
    own = set(seconds)
    for result in outcome.results:
        for phase, value in result.statistics.seconds.items():
            if phase not in own:
                seconds[phase] = seconds.get(phase, 0.0) + value
    return seconds


def reset_peak_memory() -> None:
    """Make the kernel forget the peak so far. Where it cannot, peaks only grow from one measurement to the next."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory() -> float:
    """The peak of the resident memory since the last reset, in MiB."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    scale = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale
