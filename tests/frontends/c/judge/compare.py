"""Random programs, judged by the interpreter and by `verify`.

`python -m tests.frontends.c.judge.compare --count 1000` prints what became of them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from msgspec import Struct

from sa.app.verify import VerifyRequest, verify
from sa.automata.automaton import Fault as Excluded
from sa.base.diagnostic import InputError
from sa.base.limits import LimitReached, limits
from sa.base.verdict import Verdict
from sa.engines.verification import Finding
from sa.engines.verify import Options
from sa.frontends.reading import Reading
from tests.frontends.c.judge import alone
from tests.frontends.c.judge.compiled import sanitized
from tests.frontends.c.judge.explore import Asked, Found, explore
from tests.frontends.c.judge.generator import program
from tests.frontends.c.judge.machine import Fault
from tests.frontends.c.judge.printing import text
from tests.frontends.c.judge.syntax import Program

#: What `verify` is asked, by name, and what of the interpreter answers it.
QUESTIONS = {
    "default": (Reading(), Asked()),
    "races": (Reading(races=True), Asked(races=True)),
    "deadlock": (Reading(deadlock=True), Asked(deadlocks=True)),
    "memory": (Reading(only="valid-memsafety"), Asked(leaks=True)),
}
#: The faults that claims exclude, as the interpreter calls them.
FAULTS = {
    Excluded.FREED: Fault.USE_AFTER_FREE,
    Excluded.ENDED: Fault.DEAD_VARIABLE,
    Excluded.FREED_TWICE: Fault.DOUBLE_FREE,
    Excluded.NOT_ALLOCATED: Fault.BAD_FREE,
    Excluded.FREED_IN_USE: Fault.FREED_IN_USE,
    Excluded.DESTROYED: Fault.AFTER_DESTROY,
    Excluded.RAW: Fault.BEFORE_INIT,
    Excluded.IN_USE: Fault.DESTROYED_IN_USE,
    Excluded.LOCK: Fault.LOCK,
    Excluded.POINTER: Fault.POINTER,
    Excluded.LEAK: Fault.LEAK,
    Excluded.RACE: Fault.RACE,
    Excluded.DEADLOCK: Fault.DEADLOCK,
    Excluded.ASSERTION: Fault.ASSERTION,
}
#: What the memory property asks for.
MEMORY = frozenset(
    {Fault.USE_AFTER_FREE, Fault.DEAD_VARIABLE, Fault.DOUBLE_FREE, Fault.BAD_FREE, Fault.POINTER, Fault.LEAK}
)
#: Programs without threads that are compiled at once.
BATCH = 50
#: What leaves a program without a comparison.
OPEN = frozenset({Fault.INDETERMINATE, Fault.AMBIGUOUS})


class Judged(Struct, frozen=True):
    """What became of a program, in a word and in detail."""

    word: str
    detail: str


def expected(found: Program, question: str) -> Found:
    """What the interpreter says. Deadlocks are those without spurious wake-ups, all else is with them."""
    asked = QUESTIONS[question][1]
    usual = explore(found, asked if not asked.deadlocks else Asked())
    if not asked.deadlocks:
        return usual
    stuck = explore(found, Asked(deadlocks=True, spurious=False))
    more = frozenset(p for p in stuck.places if p[0] is Fault.DEADLOCK)
    places = usual.places | more
    return Found(
        frozenset(f for f, _ in places), places, usual.states + stuck.states, usual.complete and stuck.complete
    )


def kind(finding: Finding) -> Fault | None:
    """What a claim speaks of."""
    return next((FAULTS[f] for f in finding.claim.faults if f in FAULTS), None)


def judge(found: Program, question: str, folder: Path, seconds: float) -> Judged:
    """The comparison of both answers to a question about a program."""
    said = expected(found, question)
    if not said.complete:
        return Judged("too large", "")
    if said.faults & OPEN:
        return Judged("left open by C", "")
    path = folder / "prog.c"
    path.write_text(text(found))
    reading = QUESTIONS[question][0]
    try:
        outcome = verify(VerifyRequest(str(path), False, Options(limits(seconds, None)), reading)).outcome
    except InputError as wrong:
        return Judged("rejected " + wrong.diagnostics[0].code, "")
    except LimitReached:
        return Judged("unknown", "")
    except Exception as broken:  # That is wrong too; the other programs are still judged.
        return Judged(f"wrong: internal error, {type(broken).__name__}", str(broken))
    faults = said.faults & MEMORY if question == "memory" else said.faults
    refuted = [f for f in outcome.findings if f.verdict is Verdict.REFUTED]
    detail = f"interpreter: {sorted(said.places)}; sacheck: {outcome.verdict} {[f.claim.name for f in refuted]}"
    return Judged(_word(outcome.verdict, faults, refuted, outcome.findings), detail)


def _word(verdict: Verdict | None, faults: frozenset[Fault], refuted: list[Finding], all_: tuple[Finding, ...]) -> str:
    kinds = {kind(f) for f in refuted}
    if None in kinds:
        return "wrong: a claim of an unknown kind is refuted"
    if not kinds <= faults:
        return f"wrong: refuted as {', '.join(sorted(str(k) for k in kinds - faults))}"
    missing = faults - {kind(f) for f in all_ if f.verdict is not Verdict.PROVED}
    if verdict is Verdict.UNKNOWN:
        return "unknown"
    if verdict is not Verdict.REFUTED:
        return f"wrong: proved in spite of {', '.join(sorted(faults))}" if faults else "agrees, right"
    return f"missed: {', '.join(sorted(missing))}" if missing else "agrees, fault"


def run(count: int, seed: int, question: str, seconds: float = 5.0) -> tuple[Counter[str], list[str]]:
    """So many programs; the texts of those that are judged differently."""
    tally, wrong = Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as name:
        for number in range(count):
            found = program(Random(f"{seed}-{number}"))
            judged = judge(found, question, Path(name), seconds)
            tally[judged.word] += 1
            if judged.word.startswith(("wrong", "missed")):
                wrong.append(f"/* {seed}-{number} {question} {judged.word}\n{judged.detail} */\n{text(found)}")
    return tally, wrong


def run_alone(count: int, seed: int, seconds: float = 5.0) -> tuple[Counter[str], list[str]]:
    """So many programs without threads, judged by gcc's address sanitizer as well; it gives no memory out again.

    It takes for a pointer whatever looks like one, stale words too, so that it misses a leak now and then.
    """
    tally, wrong = Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as name:
        for first in range(0, count, BATCH):
            made = [alone.program(Random(f"{seed}-{n}")) for n in range(first, min(first + BATCH, count))]
            for number, (found, said) in enumerate(zip(made, sanitized(made, Path(name)), strict=True), first):
                faults = explore(found, Asked(leaks=True, reuse=False)).faults
                if faults & OPEN:
                    tally["left open by C"] += 1
                    continue
                words = []
                missed = said is None and faults == {Fault.LEAK}
                if faults != ({said} if said is not None else set()) and not missed:
                    words.append(f"wrong: gcc says {said}, the interpreter {sorted(faults)}")
                words += [judge(found, question, Path(name), seconds).word for question in ("default", "memory")]
                tally[words[0] if len(set(words)) == 1 else "; ".join(words)] += 1
                if any(w.startswith(("wrong", "missed")) for w in words):
                    wrong.append(f"/* alone {seed}-{number} {words} */\n{text(found)}")
    return tally, wrong


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--question", choices=[*QUESTIONS, "alone"], default="default")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--show", type=int, default=3, help="so many programs that are judged differently")
    options = parser.parse_args()
    if options.question == "alone":
        tally, wrong = run_alone(options.count, options.seed, options.seconds)
    else:
        tally, wrong = run(options.count, options.seed, options.question, options.seconds)
    for found in wrong[: options.show]:
        print(found)
    print(dict(sorted(tally.items())), file=sys.stderr)
    sys.exit(any("wrong" in word for word in tally))


if __name__ == "__main__":
    main()
