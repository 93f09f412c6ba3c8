"""Threads that rotate into each other, and threads that only look so."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from bench.families import ring
from sa.automata.automaton import Automaton
from sa.base.limits import Limits
from sa.generation.checks import NotGenerated, verify
from sa.generation.generate import automata, generate
from sa.generation.symmetry import rotates
from sa.generation.visibility import Level
from sa.language.load import load_program
from sa.smt.session import Session, Unsat
from sa.terms import build
from sa.terms.term import Term
from tests.generation.exploring import compared, reached_together
from tests.generation.test_against_the_oracle import Tally

#: A finite ring.
FINITE = """global x : 0..1[{n}] = 0;
thread T[i : 0..{last}] {{ while (true) {{ await x[i] == 0 {{ x[i] := 1; }} x[(i + 1) % {n}] := 0; }} }}"""


#: Statements of a member: its own element, its neighbour's, a variable of all.
STATEMENTS = (
    "x[i] := 1;",
    "x[i] := (x[i] + 1) % 3;",
    "x[(i + 1) % {n}] := 0;",
    "x[(i + 1) % {n}] := x[i];",
    "await x[i] == 0 {{ x[i] := 2; }}",
    "await x[(i + 1) % {n}] != 1 {{ skip; }}",
    "await held == 0 {{ held := 1; }}",
    "held := 0;",
    "k := x[i];",
    "if (k < 2) {{ k := k + 1; }}",
    "if (k == held) {{ x[i] := k; }}",
    "x[(i + 1) % {n}] := k;",
    "havoc k;",
)


def random_family(seed: int) -> str:
    """A finite family of two or three members."""
    rng = Random(seed)
    n = rng.choice((2, 2, 3))
    body = " ".join(rng.choice(STATEMENTS).format(n=n) for _ in range(rng.randint(1, 4)))
    loop = f"while (true) {{ {body} }}" if rng.random() < 0.7 else body
    head = f"global x : 0..2[{n}] = 0; global held : 0..1 = 0;"
    return f"{head} thread T[i : 0..{n - 1}] {{ local k : 0..2 = 0; {loop} }}"


def judged(folder: Path, seeds: Iterable[int], level: Level) -> Tally:
    """Families that were analysed as such: nothing missing, the results alike and accepted member by member."""
    tally = Tally()
    for seed in seeds:
        threads = threads_of(random_family(seed), folder)
        known = generate(threads, level, Limits())
        made = automata(known)
        assert rotates(made) == rotates(known.exposure.threads)
        verify(Session(Limits()), tuple(replace(t, name=f"S{i}") for i, t in enumerate(made)))
        views = reached_together(known.exposure.threads, 4_000)
        if views is None or not rotates(made):
            continue
        found = compared(made, views)
        assert found.missed == 0, f"states are missing in family {seed}"
        tally.programs += 1
        tally.exact += found.exact
        tally.locations += found.locations
    return tally


def threads_of(text: str, folder: Path) -> tuple[Automaton, ...]:
    """The threads of a program."""
    path = folder / "program.sa"
    path.write_text(text)
    return load_program(str(path)).program.threads


@pytest.mark.parametrize("count", [2, 3, 5, 12])
def test_a_ring_rotates_and_one_with_its_own_constants_does_not(tmp_path: Path, count: int) -> None:
    """Names of more than one digit included."""
    assert rotates(threads_of(ring(count, symmetric=True), tmp_path))
    assert not rotates(threads_of(ring(count, symmetric=False), tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        "global x : int[2]; init x[0] == 0 && x[1] == 1; thread T[i : 0..1] { x[i] := 2; }",
        "global owner : 0..2 = 0; thread T[i : 1..2] { await owner == 0 { owner := i; } }",
        "global x : int[2] = 0; thread T[i : 0..1] { x[0] := 2; }",
        "global x : int[2] = 0; thread A { x[0] := 2; } thread B { x[1] := 2; }",
    ],
)
def test_what_is_not_the_same_is_not_accepted(tmp_path: Path, text: str) -> None:
    """Another start, numbers of threads as values, one element for all; and threads of no family."""
    assert not rotates(threads_of(text, tmp_path))


@pytest.mark.parametrize("count", [2, 3, 6])
def test_the_results_rotate_too(tmp_path: Path, count: int) -> None:
    """One member was analysed, the checks ask about one; all of them pass when asked one by one."""
    made = automata(generate(threads_of(FINITE.format(n=count, last=count - 1), tmp_path), Level.HIDDEN, Limits()))
    assert rotates(made)
    verify(Session(Limits()), made)
    apart = tuple(replace(t, name=f"S{i}") for i, t in enumerate(made))
    assert not rotates(apart)
    verify(Session(Limits()), apart)


def test_a_fault_that_all_threads_have_is_found_at_the_first(tmp_path: Path) -> None:
    """A wrong invariant at every place."""
    made = automata(generate(threads_of(FINITE.format(n=3, last=2), tmp_path), Level.HIDDEN, Limits()))
    wrong = tuple(
        replace(t, locations=tuple(replace(q, inv=build.land(q.inv, _raised(t, i))) for q in t.locations))
        for i, t in enumerate(made)
    )
    assert rotates(wrong)
    with pytest.raises(NotGenerated, match=r"T\[0\]"):
        verify(Session(Limits()), wrong)


def _raised(thread: Automaton, index: int) -> Term:
    return next(build.eq(v.var, build.ONE) for v in thread.variables if v.var.name == f"x[{index}]")


@pytest.mark.parametrize("level", Level)
def test_no_reached_state_of_a_family_is_missing(tmp_path: Path, level: Level) -> None:
    """Though one member is looked at on every level of visibility."""
    tally = judged(tmp_path, range(25 if level is Level.HIDDEN else 12), level)
    assert tally.programs > 1


@pytest.mark.fuzz
def test_no_reached_state_of_a_family_is_missing_many(tmp_path: Path) -> None:
    """Nothing is missing; most locations have the best union of boxes."""
    tally = judged(tmp_path, range(100, 700), Level.HIDDEN)
    assert tally.programs > 550
    assert tally.exact >= 0.8 * tally.locations


@pytest.mark.parametrize("count", [2, 3, 4])
def test_an_unbounded_family_is_bounded_as_member_by_member(tmp_path: Path, count: int) -> None:
    """What is added is never negative: neither when one stands for all nor when each is looked at."""
    threads = threads_of(ring(count, symmetric=True), tmp_path)
    for several in (threads, tuple(replace(t, name=f"S{i}") for i, t in enumerate(threads))):
        for thread in automata(generate(several, Level.HIDDEN, Limits())):
            never = build.lor(*(build.lt(v.var, build.ZERO) for v in thread.variables))
            session = Session(Limits())
            assert all(isinstance(session.check((q.inv, never)), Unsat) for q in thread.locations)
