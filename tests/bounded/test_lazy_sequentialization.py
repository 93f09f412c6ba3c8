"""The exported C program does what the threads do: compiled, and run with chosen values for what is not determined."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from sa.automata.automaton import Automaton
from sa.base.limits import Limits, Unsupported
from sa.bounded.dag import first_values
from sa.bounded.export import c_program
from sa.bounded.lazy_sequentialization import sequential, variables_read
from sa.bounded.rounds import Dangerous, Rounds, add_round, begin, dangers, view
from sa.bounded.search import Task, task
from sa.bounded.spans import spans
from sa.bounded.stages import usual_width
from sa.certificates.run import Bad
from sa.explicit.system import system
from sa.frontends.load import load_program
from sa.question.claims import claims_of
from sa.smt.bitblast import Circuit, Model
from sa.terms.sort import Value
from tests.bounded.judging import Irreducible, TooMany, rounds_needed, small_question
from tests.bounded.test_engine import asked

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no compiler of C")

#: What a tool has for the undetermined: here, the numbers on standard input. What is assumed in vain ends the run.
VALUES = """
#include <stdio.h>
#include <stdlib.h>
long long __VERIFIER_nondet_longlong(void) { long long x; if (scanf("%lld", &x) != 1) exit(3); return x; }
int __VERIFIER_nondet_int(void) { return (int)__VERIFIER_nondet_longlong(); }
void __VERIFIER_assume(int holds) { if (!holds) exit(4); }
"""

ERROR = -6


def compiled(folder: Path, text: str) -> Path:
    """The program, compiled with all warnings as errors."""
    (folder / "program.c").write_text(text)
    (folder / "values.c").write_text(VALUES)
    made = folder / "program"
    strictly = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["gcc", *strictly, "-c", "program.c"], cwd=folder, check=True, timeout=60)
    subprocess.run(["gcc", "-o", str(made), "program.o", "values.c"], cwd=folder, check=True, timeout=60)
    return made


def status(program: Path, values: Sequence[Value]) -> int:
    """How a run with these values ends."""
    given = " ".join(str(int(x)) for x in values if isinstance(x, int))
    return subprocess.run([program], input=given, text=True, capture_output=True, timeout=60, check=False).returncode


def model_of(t: Task, rounds: int) -> tuple[Rounds, Model | None, list[Dangerous]]:
    """The engine's runs in exactly so many rounds, and a model of one into something bad."""
    c = Circuit(Limits(), bits=True)
    width = usual_width(t.system)
    r = begin(c, t.system, t.dags, range(len(t.dags)), spans(t.system, t.dags, width, Limits()), canonical=True)
    for _ in range(rounds):
        add_round(r)
    possible = dangers(r)
    claims = [c.no(view(r, (claim,), {}).bit(claim)) for claim in t.system.claims if claim is not None]
    found = c.check(c.some((*(d.bit for d in possible), *claims)))
    assert found is False or isinstance(found, Model)
    return r, found or None, possible


def schedule(t: Task, r: Rounds, model: Model, possible: Sequence[Dangerous]) -> Iterator[Value]:
    """The values that the exported program asks for, in its order, along the model's run."""
    fixed = first_values(t.system)
    yield from (model.value(r.first[v]) for v in variables_read(t) if v not in fixed)
    points = [0 for _ in t.dags]
    for turns in r.turns:
        for thread, dag in enumerate(t.dags):
            taken = sorted((f for f in turns[thread] if model.bit(f.bit)), key=lambda f: f.hop.source)
            if dag.hops:
                yield taken[-1].hop.target if taken else points[thread]
            for fired in taken:
                ways = [h for h in dag.hops if h.source == fired.hop.source]
                if len(ways) > 1:
                    yield ways.index(fired.hop)
                yield from (model.value(fired.choices[c.var]) for c in fired.hop.choices)
                points[thread] = fired.hop.target
    at_end = {d.danger: d for d in possible}
    for dag, point in zip(t.dags, points, strict=True):
        for danger in (d for d in dag.dangers if d.point == point):
            yield from (model.value(at_end[danger].choices[c.var]) for c in danger.act.choices)


def replayed(folder: Path, t: Task, rounds: int) -> bool:
    """Whether the engine finds something bad; if so, its run is one of the exported program, which fails too."""
    r, model, possible = model_of(t, rounds)
    program = compiled(folder, sequential(t, rounds, range(len(t.dags))))
    if model is not None:
        assert status(program, list(schedule(t, r, model, possible))) == ERROR
        return True
    rng = Random(rounds)
    for _ in range(30):
        values = [rng.choice((0, 0, 1, 1, 2, 3, 5, 9, 100)) for _ in range(400)]
        assert status(program, values) in (0, 4)
    return False


def laid_out(threads: tuple[Automaton, ...], bads: tuple[Bad, ...], unwind: int) -> Task:
    return task(system(threads, bads), unwind, exactly=True)


PROGRAMS = {
    "a lost update": (
        "global x, n : int = 0; thread A { local t : int; t := x; x := t + 1; n := n + 1; } thread B { local t : int; "
        "t := x; x := t + 1; n := n + 1; } thread C { await n == 2; assert x == 2; }",
        2,
    ),
    "a choice, a remainder and a quotient of negative numbers": (
        "global x : int = 0; thread A { local t : int; havoc t; assume t < 0; x := t; } "
        "thread B { assert !(x % 4 == 3 && x / 3 == -2); }",
        1,
    ),
    "values of enumerations and truth values": (
        "enum Light { red, amber, green } global l : Light = red; global b : bool; thread A { "
        "if (b) { l := green; } else { l := amber; } } thread B { assert l != green; }",
        1,
    ),
    "updates that read each other": (
        "global x : int = 1; global y : int = 2; thread A { atomic { x, y := y, x; } } "
        "invariant apart : !(x == 2 && y == 1);",
        1,
    ),
    "a claim about where threads are": (
        "global x : int = 0; thread A { x := 1; CS: x := 2; } thread B { CS: x := 3; } "
        "invariant apart : !(at A.CS && at B.CS);",
        1,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_engines_run_is_one_of_the_exported_program_and_fails_there(name: str, tmp_path: Path) -> None:
    text, rounds = PROGRAMS[name]
    question = asked(text)
    assert replayed(tmp_path, laid_out(question.threads, question.bads, 0), rounds)


@pytest.mark.parametrize(("name", "rounds", "unwind"), [("lost-update", 3, 3), ("singleton", 3, 0), ("pthread5", 1, 2)])
def test_bugs_of_c_programs_are_in_the_c_program_that_is_exported(
    name: str, rounds: int, unwind: int, tmp_path: Path
) -> None:
    program = load_program(f"specs/bounded/{name}.c").program
    bads = tuple(dict.fromkeys(bad for claim in claims_of(program) for bad in claim.bads))
    assert replayed(tmp_path, laid_out(program.threads, bads, unwind), rounds)


def test_no_schedule_of_a_right_program_fails(tmp_path: Path) -> None:
    text = "global x : int = 0; global m : 0..2 = 0; thread A { lock(m); x := x + 1; unlock(m); } "
    question = asked(text + "thread B { local t : int; lock(m); t := x; x := t + 1; unlock(m); } invariant i : x <= 2;")
    assert not replayed(tmp_path, laid_out(question.threads, question.bads, 0), 3)


def test_what_has_no_counterpart_in_c_is_refused() -> None:
    for text in (
        "function f(int) : int; global x : int = 0; thread A { x := f(x); assert x == 0; }",
        "global x, y, z : int; thread A { x := x * y * z * x * y * z * x * y; assert x != 7; }",
    ):
        with pytest.raises(Unsupported):
            c_program(asked(text), 1, 0)


def compared(seeds: range, folder: Path) -> int:
    """How many random questions were bad; each has the enumeration's answer."""
    bad = 0
    for seed in seeds:
        threads, question = small_question(seed)
        try:
            expected = rounds_needed(threads, question, 2, seed % 3)
        except (TooMany, Irreducible):
            continue
        found = replayed(folder, laid_out(threads, (question,), seed % 3), 2)
        assert found == (expected is not None), seed
        bad += found
    return bad


def test_random_programs_fail_where_enumeration_says_so(tmp_path: Path) -> None:
    assert 0 < compared(range(8), tmp_path) < 8


@pytest.mark.fuzz
def test_many_random_programs_fail_where_enumeration_says_so(tmp_path: Path) -> None:
    assert compared(range(5000, 5500), tmp_path) > 100
