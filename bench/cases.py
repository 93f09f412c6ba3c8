"""Programs with known answers, each asked in a process of its own: `python -m bench.cases [FOLDER|FILE...]`.

A file is asked with `verify`, or with `refine` if it has a refinement block. A folder with `abs.sa` and `conc.sa` is a
question for `refine`, one with `prog.sa` for `verify`. What is expected is a comment `// expect: proved|refuted` in the
file, its `expect` for the file as a whole, or 0 or 1 in the folder's file `expected`.
Two programs without a block that are expected to refine, and of which only the relation that is the default fails, are
asked about once more with `--infer-relate`; the last column says so.
Limits are in processor time, so that a busy machine gives the same answers. Exit status 1 if an answer is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from bench.measure import ask
from sa.app.refine import RefineRequest, Relate, refine
from sa.app.verify import VerifyRequest, verify
from sa.base.diagnostic import InputError
from sa.base.limits import LimitReached, Limits
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.play import Loss
from sa.cli.start import collect_seldom
from sa.engines.options import Options
from sa.engines.verification import Verification
from sa.engines.verify import Options as VerifyOptions

RESULTS = Path(__file__).resolve().parent / "results" / "cases.json"
NOTHING = Limits()
_EXPECTED = re.compile(r"^(?://\s*expect:|expect)\s*(proved|refuted|unknown)", re.MULTILINE)
_OF_FILE = {"0": "PROVED", "1": "REFUTED"}


@dataclass(frozen=True, slots=True)
class Found:
    """An answer: a verdict, or what went wrong; processor seconds and MiB of its process; what settled it."""

    verdict: str
    seconds: float
    memory: float
    how: str


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table."""

    name: str
    expected: str
    found: Found

    @property
    def mark(self) -> str:
        """Whether the answer is right, wrong, or not there."""
        if self.found.verdict == self.expected:
            return "ok"
        if self.found.verdict not in ("PROVED", "REFUTED"):
            return "?"
        return "WRONG" if self.expected else ""


def cases(paths: Sequence[Path]) -> Iterator[Path]:
    """The questions in files and folders, in order: files, and folders that are one question."""
    for path in paths:
        if path.is_file() or _is_question(path):
            yield path
        else:
            yield from cases([p for p in sorted(path.iterdir()) if p.is_dir() or p.suffix == ".sa"])


def _is_question(folder: Path) -> bool:
    return (folder / "conc.sa").exists() or (folder / "prog.sa").exists()


def expected_of(path: Path) -> str:
    """The verdict that a case expects; empty where it does not say."""
    told = path / "expected"
    if told.exists():
        return _OF_FILE.get(told.read_text().strip(), "")
    written = path if path.is_file() else path / ("prog.sa" if (path / "prog.sa").exists() else "conc.sa")
    found = _EXPECTED.search(written.read_text())
    return found[1].upper() if found else ""


def answer(path: Path, tell: Callable[[Found], None], stop: list[Callable[[], Found]]) -> None:
    """Ask about a case, and tell the answer. Into `stop` goes what makes the answer so far, should time be up."""
    file = path if path.is_file() else path / "prog.sa"
    if not path.is_file() and (path / "conc.sa").exists():
        tell(_of_pair(path))
    elif re.search(r"^refinement\b", file.read_text(), re.MULTILINE):
        for answered in refine(RefineRequest((str(file),), split=False, options=Options(NOTHING))):
            tell(_found(answered.outcome.verdict.value, ""))
    else:
        request = VerifyRequest(str(file), False, VerifyOptions(NOTHING))
        timeout = Unknown(Reason.TIMEOUT)
        tell(_verified(verify(request, lambda so_far: stop.append(lambda: _verified(so_far(timeout).outcome))).outcome))


def _of_pair(folder: Path) -> Found:
    asked = (folder / "abs.sa", folder / "conc.sa")
    outcome = ask(*asked)
    only_relation = any(r.loss is Loss.RELATION for r in outcome.results) and outcome.escape is None
    if outcome.verdict is Verdict.REFUTED and only_relation and expected_of(folder) == Verdict.PROVED.value:
        inferred = ask(*asked, relate=Relate.INFER)
        if inferred.verdict is Verdict.PROVED:
            return _found(inferred.verdict.value, "with an inferred relation")
    return _found(outcome.verdict.value, "")


def _verified(outcome: Verification) -> Found:
    open_claims = {f.unknown.reason.value for f in outcome.findings if f.unknown is not None}
    how = "; ".join(dict.fromkeys((*(f.how for f in outcome.findings if f.how), *sorted(open_claims))))
    return _found("nothing claimed" if outcome.verdict is None else outcome.verdict.value, how)


def _found(verdict: str, how: str) -> Found:
    return Found(verdict, time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, how)


def _alone(path: Path, seconds: float, gigabytes: float) -> None:
    """What the process of one case does: it prints an answer, and ends when its processor time is up."""
    told, stop = threading.Lock(), list[Callable[[], Found]]()

    def tell(found: Found) -> None:
        if told.acquire(blocking=False):
            print(json.dumps(asdict(found)), flush=True)
            os._exit(0)

    def watch() -> None:
        while time.process_time() < seconds:
            time.sleep(0.05)
        tell(stop[0]() if stop else _found("UNKNOWN", Reason.TIMEOUT.value))

    resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30),) * 2)
    threading.Thread(target=watch, daemon=True).start()
    try:
        answer(path, tell, stop)
    except InputError as wrong:
        tell(_found("INPUT " + " ".join(sorted({d.code for d in wrong.diagnostics})), ""))
    except MemoryError:
        tell(_found("UNKNOWN", Reason.MEMORY.value))
    except LimitReached as limit:
        tell(_found("UNKNOWN", limit.reason.value))


def measured(path: Path, seconds: float, gigabytes: float) -> Found:
    """The answer of a process of its own."""
    command = [sys.executable, "-m", "bench.cases", "--alone", str(path)]
    limits = ["--seconds", str(seconds), "--memory", str(gigabytes)]
    root = Path(__file__).resolve().parent.parent
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*command, *limits], capture_output=True, text=True, cwd=root)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.stdout.strip():
        return Found(**json.loads(done.stdout.splitlines()[-1]))
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # Out of memory inside of the solver kills a process, or ends in an exception of its own.
    last = done.stderr.strip().splitlines()[-1:] or [f"status {done.returncode}"]
    return Found("CRASHED", spent, 0.0, last[0])


def main() -> int:
    """Run, print, store."""
    collect_seldom()
    parser = argparse.ArgumentParser(prog="python -m bench.cases", description="Programs with known answers.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="FOLDER|FILE")
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time for each case (60)")
    parser.add_argument("--memory", type=float, default=6.0, help="GiB for each case (6)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the rows are stored as JSON")
    parser.add_argument("--alone", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone is not None:
        _alone(options.alone, options.seconds, options.memory)
        return 0
    if not options.paths:
        parser.error("no cases are named")
    console, rows = Console(width=150), list[Row]()
    for path in cases([p.resolve() for p in options.paths]):
        name = "/".join(path.with_suffix("").parts[-2:])
        rows.append(Row(name, expected_of(path), measured(path, options.seconds, options.memory)))
        console.print(line(rows[-1]), highlight=False, markup=False, soft_wrap=True)
    console.print(summary(rows), highlight=False)
    options.results.parent.mkdir(exist_ok=True)
    options.results.write_text(json.dumps([asdict(r) | {"mark": r.mark} for r in rows], indent=1) + "\n")
    return int(any(r.mark == "WRONG" for r in rows))


def line(row: Row) -> str:
    """A row as text: name, what is expected, what was answered, whether that is right, seconds, MiB, and how."""
    found = row.found
    seconds = f"{found.seconds:8.2f} s {found.memory:6.0f} MiB"
    return f"{row.name:48} {row.expected:8} {found.verdict:8} {row.mark:5} {seconds}  {found.how}"


def summary(rows: Sequence[Row]) -> str:
    """How many answers are right, wrong and not there, and all seconds."""
    counts = {mark: sum(r.mark == mark for r in rows) for mark in ("ok", "?", "WRONG")}
    total = sum(r.found.seconds for r in rows)
    return f"{len(rows)} cases: {counts['ok']} right, {counts['?']} open, {counts['WRONG']} wrong; {total:.1f} s"


if __name__ == "__main__":
    raise SystemExit(main())
