"""All commands on inputs that nobody would write: `python -m tests.fuzz.inputs --count 100000`.

Whatever the input, a command ends with an answer or with coded errors: no exception, no internal error, nothing but
JSON where JSON was asked for, no control character that a terminal would obey, and no file touched but by `fmt`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from time import perf_counter

from msgspec import Struct, field
from typer.testing import CliRunner, Result

from sa.base.limits import peak_memory
from sa.cli.main import application
from sa.language.codes import CATALOGUE
from tests.fuzz.certificates import Base, bases, random_certificate, verdicts
from tests.fuzz.mutations import SPECS, Input, random_input

#: Seconds for a command to think; what it does not know then is UNKNOWN.
TIMEOUT = {"prove": "0.6"}
OTHERWISE = "0.3"
#: Names of the file: what a terminal would obey is in some of them.
STRANGE = ("in put.sa", "in\x1b[31mput.sa", "in\nput.sa", "in\u202eput.sa", "-input.sa", "in[b]put.sa")
NAMES = ("input.sa",) * 30 + STRANGE
#: Seconds that no command may take.
TOO_LONG = 5.0

COMMANDS = {
    "check": 30,
    "refine": 20,
    "verify": 12,
    "generate": 10,
    "show": 8,
    "fmt": 8,
    "simulate": 6,
    "prove": 6,
    "certify": 2,
}
#: How many of the inputs are certificates.
CERTIFICATES = 0.2
#: Bytes that a single input may take beyond what was taken before.
MUCH = 400 * 2**20

_CODE = re.compile(r"\bSA\d{3}\b")
_OBEYED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


class Tally(Struct):
    """What became of the inputs: how many by command and status, what is wrong, the slowest."""

    counts: Counter[tuple[str, int]] = field(default_factory=Counter)
    wrong: list[tuple[int, list[str], str]] = field(default_factory=list)
    slowest: tuple[float, int] = (0.0, -1)
    certificates: Counter[int] = field(default_factory=Counter)


def command(random: Random, given: Input, file: str) -> list[str]:
    """A command line about the file."""
    name = random.choices(tuple(COMMANDS), tuple(COMMANDS.values()))[0]
    if re.search(rb"\b(lemma|theorem)\b", given.data) and random.random() < 0.6:
        name = "prove"
    files, options = [file], ["--timeout", TIMEOUT.get(name, OTHERWISE)]
    if name == "refine" and random.random() < 0.9:
        other = file if given.place is None or random.random() < 0.3 else "abs.sa"
        files = [other, file] if random.random() < 0.8 else [file, other]
        options += ["--whole"] if random.random() < 0.2 else []
    if name == "simulate":
        options += ["--steps", "20", "--seed", str(random.randrange(5))]
    if name == "generate":
        options += random.choice(([], ["--exact"], ["--visible", "locations"], ["--visible", "locals"]))
    if name not in ("fmt", "certify") and random.random() < 0.1:
        options += ["--split"]
    if name == "show" and random.random() < 0.3:
        options += ["--format", "dot"]
    elif random.random() < 0.3:
        options += ["--json"]
    return [name, *options, "--", *files]


def certifying(random: Random, file: str) -> list[str]:
    """A command line about a certificate."""
    options = ["--timeout", OTHERWISE]
    if random.random() < 0.15:
        options += ["--solver", random.choice(("cvc5", "both"))]
    if random.random() < 0.05:
        options += ["--source", "."]
    if random.random() < 0.3:
        options += ["--json"]
    return ["certify", *options, "--", file]


def complaints(line: list[str], result: Result, before: dict[str, bytes], after: dict[str, bytes]) -> Iterator[str]:
    """What is wrong with the end of a command."""
    if result.exit_code not in (0, 1, 2, 3):
        yield f"status {result.exit_code}: {result.stderr[:300]}"
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        yield f"{type(result.exception).__name__}: {result.exception}"
    if "--json" in line:
        try:
            json.loads(result.stdout)
        except ValueError as problem:
            yield f"no JSON: {problem}"
    elif found := _OBEYED.search(result.stdout + result.stderr):
        yield f"control character {found.group()!r}"
    if unknown := set(_CODE.findall(result.stderr)) - set(CATALOGUE):
        yield f"codes that nothing explains: {unknown}"
    if result.exit_code == 2 and not _CODE.search(result.stderr + result.stdout):
        yield f"refused without a code: {result.stderr[:300]}"
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    if changed - ({line[-1]} if line[0] == "fmt" and result.exit_code == 0 else set()):
        yield f"files changed: {sorted(changed)}"


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {entry.name: Path(entry.path).read_bytes() for entry in os.scandir(folder) if entry.is_file()}


@contextmanager
def sandbox() -> Iterator[Path]:
    """A copy of the specs, so that what an input imports is beside it."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SPECS, Path(folder) / "specs")
        yield Path(folder) / "specs"


def made(seed: int, known: tuple[Base, ...], certificates: float) -> tuple[Input, str, list[str]]:
    """An input, a name for its file and a command line."""
    random = Random(seed)
    file = random.choice(NAMES)
    if random.random() < certificates:
        return Input(*random_certificate(random, known)), file, certifying(random, file)
    given = random_input(random)
    return given, file, command(random, given, file)


def attempt(seed: int, specs: Path, tally: Tally, known: tuple[Base, ...], certificates: float) -> None:
    """One input and one command."""
    given, file, line = made(seed, known, certificates)
    folder = specs / given.place.parent if given.place else specs
    (folder / file).write_bytes(given.data)
    os.chdir(folder)
    before, held, started = contents(folder), peak_memory(), perf_counter()
    result = CliRunner().invoke(application(), line)
    seconds = perf_counter() - started
    found = list(complaints(line, result, before, contents(folder)))
    (folder / file).unlink(missing_ok=True)
    if seconds > TOO_LONG:
        found.append(f"{seconds:.1f} seconds")
    if peak_memory() > held + MUCH:
        found.append(f"{(peak_memory() - held) // 2**20} MB")
    if line[0] == "certify" and given.place is not None:
        tally.certificates[result.exit_code] += 1
        truth = next((verdicts(base.text) for base in known if base.place == given.place), None)
        if result.exit_code == 0 and verdicts(given.data) != truth:
            found.append("accepted, with another verdict than the true one")
    tally.slowest = max(tally.slowest, (seconds, seed))
    tally.counts[line[0], result.exit_code] += 1
    tally.wrong.extend((seed, line, what) for what in found)


def fuzz(seeds: range, talkative: bool = False, certificates: float = CERTIFICATES) -> Tally:
    """Attempts with these seeds."""
    tally = Tally()
    here = os.getcwd()
    os.environ |= {"COLUMNS": "100", "SACHECK_CACHE": ""}
    try:
        with sandbox() as specs:
            known = bases(specs)
            for seed in seeds:
                before = len(tally.wrong)
                attempt(seed, specs, tally, known, certificates)
                for _, line, what in tally.wrong[before:] if talkative else ():
                    print(f"seed {seed}: {line}: {what}", flush=True)
                if talkative and seed % 5000 == 4999:
                    print(f"... {seed + 1 - seeds.start}", file=sys.stderr, flush=True)
            os.chdir(here)
    finally:
        os.chdir(here)
    return tally


def main() -> None:
    """Prints what is wrong, then the table of `results.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--certificates", type=float, default=CERTIFICATES, help="their share")
    parser.add_argument("--show", action="store_true", help="write the input of the first seed and its command")
    given = parser.parse_args()
    if given.show:
        with sandbox() as specs:
            shown, _, line = made(given.seed, bases(specs), given.certificates)
        print(f"// {shown.place}: {line}", flush=True)
        sys.stdout.buffer.write(shown.data)
        return
    started = perf_counter()
    tally = fuzz(range(given.seed, given.seed + given.count), talkative=True, certificates=given.certificates)
    seconds = perf_counter() - started
    print("| command | status 0 | 1 | 2 | 3 | 4 |\n|---|---:|---:|---:|---:|---:|")
    for name in COMMANDS:
        print(f"| {name} | {' | '.join(str(tally.counts[name, status]) for status in range(5))} |")
    print(f"| of these, certificates | {' | '.join(str(tally.certificates[status]) for status in range(5))} |")
    total = sum(tally.counts.values())
    print(f"\n{total} inputs in {seconds:.0f} s, {len(tally.wrong)} complaints,", end=" ")
    print(f"slowest {tally.slowest[0]:.1f} s (seed {tally.slowest[1]})")


if __name__ == "__main__":
    main()
