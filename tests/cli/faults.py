"""Commands whose solver fails once at any place: `python -m tests.cli.faults --count 500`.

Whatever a question to the solver ends with, a command says what it says without the fault, or that it does not know.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import z3
from typer.testing import CliRunner, Result

from sa.base.limits import LimitReached
from sa.base.verdict import Reason
from sa.cli.main import application

LOOP = "global x : int = 0;\nthread A { while (x < 5) { x := x + 1; } @end(x) skip; }\n"
LONGER = LOOP.replace("{ x :=", "{ skip; x :=")
TWO = """
global x, y : int = 0;
thread A { x := STEP; @end skip; }
thread B { if (y < 5) { y := y + 1; } @end(y) skip; }
"""
PROVABLE = "global x : 0..9 = 0;\nthread A { while (x < 5) { x := x + 1; } assert x == 5; }\ninvariant few : x <= 5;\n"
FILES = {
    "abs": LOOP,
    "good": LONGER,
    "bad": LONGER.replace("x + 1", "x + 2"),
    "abs2": TWO.replace("STEP", "x + x + 1"),
    "conc2": TWO.replace("STEP", "2 * x + 1"),
    "wrong2": TWO.replace("STEP", "2 * x + 2"),
    "claims": PROVABLE,
    "false": PROVABLE.replace("x == 5", "x == 4"),
    "script": 'import "abs.sa" as a;\nimport "good.sa" as b;\nimport "bad.sa" as c;\n'
    "lemma one : b refines a;\nlemma two : c refines a;\nlemma three : a preserves x != 7;\n",
}

#: Commands about these files; `certify` is about what the command before it wrote.
COMMANDS = (
    ("refine", "abs.sa", "good.sa"),
    ("refine", "abs.sa", "bad.sa"),
    ("refine", "abs2.sa", "conc2.sa"),
    ("refine", "abs2.sa", "wrong2.sa"),
    ("verify", "claims.sa"),
    ("verify", "false.sa"),
    ("prove", "script.sa"),
    ("generate", "conc2.sa"),
    ("certify", "good.json"),
    ("certify", "bad.json"),
    ("certify", "conc2.json"),
    ("certify", "claims.json"),
    ("certify", "broken.json"),
)
CERTIFIED = {
    "good": ("refine", "abs.sa", "good.sa"),
    # Not a play of which the checker evaluates everything.
    "bad": ("refine", "abs.sa", "bad.sa", "--engine", "game:moves=guessed"),
    "conc2": ("refine", "abs2.sa", "conc2.sa"),
    # Not by all states, which the checker evaluates without a solver.
    "claims": (
        "verify",
        "claims.sa",
        "--engine",
        "abstract-interpretation:domain=intervals,bmc,chc:encoding=control-points",
    ),
}


def _raising(problem: Callable[[], BaseException]) -> Callable[[], Any]:
    def fail() -> Any:
        raise problem()

    return fail


#: What becomes of a question, and the statuses that a command may end with then, beside its usual one.
FAULTS: dict[str, tuple[Callable[[], Any], set[int]]] = {
    "unknown": (lambda: z3.unknown, {3}),
    "solver's error": (_raising(lambda: z3.Z3Exception("on purpose")), {3}),
    "timeout": (_raising(lambda: LimitReached(Reason.TIMEOUT)), {3}),
    "no memory": (_raising(MemoryError), {3}),
    "bug": (_raising(lambda: RuntimeError("on purpose")), {4}),
}


@contextmanager
def failing(at: range, fault: Callable[[], Any]) -> Iterator[list[int]]:
    """Within it the solver's questions with these numbers fail; how many there were is counted in the list."""
    usual, count = z3.Solver.check, [0]

    def check(self: Any, *assumptions: Any) -> Any:
        count[0] += 1
        return fault() if count[0] - 1 in at else usual(self, *assumptions)

    z3.Solver.check = check
    try:
        yield count
    finally:
        z3.Solver.check = usual


def written(folder: Path) -> None:
    """The files, and the certificates of some of them; the current directory is theirs."""
    for name, text in FILES.items():
        (folder / f"{name}.sa").write_text(text)
    for name, line in CERTIFIED.items():
        assert sacheck(*line, "--certificate", f"{name}.json").exit_code in (0, 1)
    broken = json.loads((folder / "good.json").read_text())
    broken["questions"][0]["goals"][0]["relation"]["pairs"][-1]["lemmas"] = ["(= conc.x 7)"]
    (folder / "broken.json").write_text(json.dumps(broken))


def sacheck(*line: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(application(), [*line])


def said(result: Result) -> list[str]:
    """The verdict or ruling of a report, and those of its parts; an internal error says nothing."""
    document: dict[str, Any] = json.loads(result.stdout)
    parts = next((document[key] for key in ("outcomes", "claims", "steps", "judged") if key in document), [])
    whole = document.get("ruling", document)
    return [_word(part) for part in (whole, *parts)]


def _word(part: dict[str, Any]) -> str:
    word = part.get("ruling", part.get("verdict", "UNKNOWN"))
    return _word(word) if isinstance(word, dict) else str(word or "UNKNOWN")


def complaints(usual: Result, result: Result, allowed: set[int]) -> Iterator[str]:
    """What is wrong with the end of a command in which a question failed."""
    if result.exit_code not in {usual.exit_code} | allowed:
        yield f"status {result.exit_code} instead of {usual.exit_code}"
    for mine, others in zip(said(result), said(usual), strict=False):
        if mine not in (others, "UNKNOWN", "not settled"):
            yield f"{mine} instead of {others}"
    if result.exit_code not in (0, 1) and said(result)[0] not in ("UNKNOWN", "not settled"):
        yield f"status {result.exit_code} with the answer {said(result)[0]}"
    program = json.loads(result.stdout).get("program")
    if program is not None and result.exit_code == 0:
        Path("generated.sa").write_text(program)
        if (verified := sacheck("verify", "generated.sa")).exit_code not in (0, 3):
            yield f"what is generated does not hold: {verified.stdout}"


@contextmanager
def workshop() -> Iterator[None]:
    """A folder with all files, as the current directory."""
    here, cache = os.getcwd(), os.environ.get("SACHECK_CACHE")
    os.environ["SACHECK_CACHE"] = ""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            written(Path(folder))
            yield
        finally:
            os.chdir(here)
            del os.environ["SACHECK_CACHE"]
            if cache is not None:
                os.environ["SACHECK_CACHE"] = cache


def attempts(line: tuple[str, ...], fault: str, count: int, seed: int) -> Iterator[tuple[str, int, int, str]]:
    """Runs of a command in which one question failed, or all from one on: their numbers, the status, a complaint."""
    random = Random(f"{seed} {line} {fault}")
    with failing(range(0), lambda: None) as asked:
        usual = sacheck(*line, "--json")
    for first in random.sample(range(asked[0]), min(count, asked[0])):
        fail, allowed = FAULTS[fault]
        failed = range(first, first + 1 if random.random() < 0.6 else sys.maxsize)
        with failing(failed, fail):
            result = sacheck(*line, "--json")
        yield (
            f"questions {failed.start}-{failed.stop}",
            result.exit_code,
            usual.exit_code,
            "; ".join(complaints(usual, result, allowed)),
        )


def main() -> None:
    """Prints what is wrong, and how often a fault cost the answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20, help="places for each command and fault")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with workshop():
        for line in COMMANDS:
            ends = Counter[str]()
            for fault in FAULTS:
                for where, status, usual, wrong in attempts(line, fault, given.count, given.seed):
                    ends["as usual" if status == usual else f"status {status}"] += 1
                    if wrong:
                        ends["wrong"] += 1
                        print(" ".join(line), fault, where, wrong, flush=True)
            print(" ".join(line), dict(ends), flush=True)


if __name__ == "__main__":
    main()
