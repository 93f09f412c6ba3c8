"""The engine `bounded` on the programs of `specs/bounded`: `python -m bench.bounded [--growth|--encodings] [FILE...]`.

Times are processor seconds of the engine alone, without start-up and reading. A program's header says what the thesis
measured; a fifth of that is the goal. `--growth` varies rounds and unwindings of single programs instead, `--encodings`
asks other encodings: the eager schema within the same bounds, and one step of any thread after the other.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

from rich.console import Console
from rich.table import Table

from bench.eager import is_bad_within
from bench.product import steps_needed
from bench.subjects import SPECS
from sa.automata.program import Program
from sa.base.budget import Budget, unheard
from sa.base.limits import LimitReached, limits
from sa.base.verdict import Reason
from sa.bounded.bounded_model_checking import by_rounds
from sa.bounded.dag import Dag, TooLarge
from sa.bounded.rounds import add_round, begin, dangers, view
from sa.bounded.search import task
from sa.bounded.spans import spans
from sa.bounded.stages import Wanted
from sa.explicit.system import System, system
from sa.frontends.load import load_program
from sa.question.asked import Asked, Note, Refuted
from sa.question.claims import claims_of
from sa.smt.bitblast import Circuit

#: The thesis' seconds: those of the lazy schema with CBMC, or of the eager one where no others are printed.
_THESIS = re.compile(r"(?:CBMC4\.7|LR\+CBMC|LR\+ESBMC|Threader) ([\d.]+)")
_EXPECTED = re.compile(r"expect: (\w+)")
GROWING = ("fib_bench-5-bug.sa", "stack_unsafe.sa", "twostage_3.sa")

#: Programs with the rounds and unwindings that their bugs need.
ENCODED = (
    ("twostage_3.sa", 1, 1),
    ("fib_bench-5-bug.sa", 5, 5),
    ("fib_bench_longer-6-bug.sa", 6, 6),
    ("stack_unsafe.sa", 1, 2),
)


def processor() -> float:
    """Processor seconds of this process so far."""
    return getrusage(RUSAGE_SELF).ru_utime


def question(program: Program) -> Asked:
    """What a program claims, as far as it is about its own threads."""
    bads = dict.fromkeys(b for c in claims_of(program) if c.threads == program.threads for b in c.bads)
    return Asked(program.threads, tuple(bads), program.axioms)


def row(file: Path, seconds: float) -> tuple[str, ...]:
    """A program's line: expectation, when the first run was found and how, what was covered, the thesis' time."""
    text = file.read_text(encoding="utf-8")
    asked = question(load_program(str(file)).program)
    begun, found, last = processor(), "", ""
    try:
        for said in by_rounds(Wanted(), asked, Budget(limits(seconds, None)), unheard):
            match said:
                case Refuted(_, _, how) if not found:
                    found = f"{processor() - begun:.2f} {how}"
                    break
                case Note(words):
                    last = f"{processor() - begun:.2f} {words}"
                case Refuted():
                    pass
    except LimitReached:
        last = last or "nothing"
    expected, thesis = _EXPECTED.search(text), _THESIS.search(text)
    return (
        file.name,
        expected.group(1) if expected else "",
        found or last,
        f"{float(thesis.group(1)) / 5:.2f}" if thesis else "",
    )


def size(s: System, unwind: int, rounds: int, seconds: float = 60.0) -> tuple[int, int, float]:
    """Steps of the unwound threads, clauses that are required, and the seconds to answer all rounds."""
    begun = processor()
    laid_out = task(s, unwind, exactly=True)
    circuit = Circuit(limits(seconds, None), bits=True)
    r = begin(circuit, s, laid_out.dags, range(len(s.threads)), spans(s, laid_out.dags, 12), canonical=True)
    for _ in range(rounds):
        add_round(r)
    claims = [circuit.no(view(r, (claim,), {}).bit(claim)) for claim in s.claims if claim is not None]
    if circuit.check(circuit.some((*(d.bit for d in dangers(r)), *claims))) is None:
        raise LimitReached(Reason.TIMEOUT)
    return sum(len(d.hops) for d in laid_out.dags), circuit.required, processor() - begun


def growth(name: str, seconds: float) -> Iterator[tuple[str, ...]]:
    """Lines for 1 to 8 rounds with 4 unwindings, and for 1 to 8 unwindings with 4 rounds: the engine's encoding, the
    eager one, and as many single steps as a run within these bounds can have. What took too long is not tried again
    with larger bounds."""
    asked = question(load_program(str(SPECS / "bounded" / name)).program)
    s = system(asked.threads, asked.bads)
    for bounds in ([(k, 4) for k in range(1, 9)], [(4, u) for u in range(1, 9)]):
        over = set[str]()
        for rounds, unwind in bounds:
            line = [name, str(rounds), str(unwind)]
            for kind, timed in (("engine", _engine), ("eager", _eager), ("step by step", _single)):
                found = "" if kind in over else _within(partial(timed, s, rounds, unwind, seconds))
                line.append(found or f"over {seconds:.0f}")
                if not found:
                    over.add(kind)
            yield tuple(line)


def _within(timed: Callable[[], int | None]) -> str:
    """Seconds and clauses, nothing where a limit was reached."""
    begun = processor()
    try:
        clauses = timed()
    except (LimitReached, TooLarge):
        return ""
    return "" if clauses is None else f"{processor() - begun:.2f} ({clauses})"


def _engine(s: System, rounds: int, unwind: int, seconds: float) -> int:
    return size(s, unwind, rounds, seconds)[1]


def _eager(s: System, rounds: int, unwind: int, seconds: float) -> int:
    return is_bad_within(s, task(s, unwind, exactly=True).dags, rounds, 12, limits(seconds, None))[1]


def _single(s: System, rounds: int, unwind: int, seconds: float) -> int | None:
    """As many steps as the longest run has; None where that was not reached."""
    most = sum(_longest(dag) for dag in task(s, unwind, exactly=True).dags)
    found, looked, clauses = steps_needed(s, most, 12, limits(seconds, None))
    return clauses if found is not None or looked == most else None


def _longest(dag: Dag) -> int:
    most = [0 for _ in dag.places]
    for hop in dag.hops:
        most[hop.target] = max(most[hop.target], most[hop.source] + len(hop.acts))
    return max(most)


def encodings(name: str, rounds: int, unwind: int, seconds: float) -> tuple[str, ...]:
    """Clauses and seconds until the bug is found: by the engine's encoding, the eager one, and step by step."""
    asked = question(load_program(str(SPECS / "bounded" / name)).program)
    s = system(asked.threads, asked.bads)
    line = [name, str(rounds), str(unwind)]
    _, clauses, taken = size(s, unwind, rounds)
    line.append(f"{taken:.2f} ({clauses} clauses)")
    begun = processor()
    try:
        bad, clauses = is_bad_within(s, task(s, unwind, exactly=True).dags, rounds, 12, limits(seconds, None))
        line.append(f"{processor() - begun:.2f} ({clauses} clauses{'' if bad else ', nothing found'})")
    except LimitReached:
        line.append(f"over {seconds:.0f}")
    begun = processor()
    needed, looked, clauses = steps_needed(s, 80, 12, limits(seconds, None))
    found = f"{looked} steps" if needed is not None else f"not found in {looked} steps"
    line.append(f"{processor() - begun:.2f} ({clauses} clauses, {found})")
    return tuple(line)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--encodings", action="store_true")
    options = parser.parse_args()
    if options.encodings:
        table = Table("program", "rounds", "unwindings", "engine", "eager", "step by step")
        lines = (encodings(*subject, options.seconds) for subject in ENCODED)
    elif options.growth:
        table = Table("program", "rounds", "unwindings", "engine", "eager", "step by step")
        lines = (line for name in GROWING for line in growth(name, options.seconds))
    else:
        table = Table("program", "expected", "seconds, how", "thesis / 5")
        files = options.files or sorted((SPECS / "bounded").iterdir())
        lines = (row(file, options.seconds) for file in files if file.suffix in (".sa", ".c"))
    for line in lines:
        table.add_row(*line)
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
