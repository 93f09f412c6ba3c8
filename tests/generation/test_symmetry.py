"""Threads that rotate into each other, and threads that only look so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.families import ring
from sa.automata.automaton import Automaton
from sa.base.limits import Limits
from sa.generation.checks import NotGenerated, verify
from sa.generation.generate import automata, generate
from sa.generation.symmetry import rotates
from sa.generation.visibility import Rung
from sa.language.load import load_program
from sa.smt.session import Session
from sa.terms import build
from sa.terms.term import Term

#: A finite ring, which is analysed without widening and so alike at all places.
FINITE = """global x : 0..1[{n}] = 0;
thread T[i : 0..{last}] {{ while (true) {{ await x[i] == 0 {{ x[i] := 1; }} x[(i + 1) % {n}] := 0; }} }}"""


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
def test_without_widening_the_results_rotate_too(tmp_path: Path, count: int) -> None:
    """So the checks ask about one thread; all of them pass when asked one by one."""
    made = automata(generate(threads_of(FINITE.format(n=count, last=count - 1), tmp_path), Rung.HIDDEN, Limits()))
    assert rotates(made)
    verify(Session(Limits()), made)
    apart = tuple(replace(t, name=f"S{i}") for i, t in enumerate(made))
    assert not rotates(apart)
    verify(Session(Limits()), apart)


def test_a_fault_that_all_threads_have_is_found_at_the_first(tmp_path: Path) -> None:
    """A wrong invariant at every place."""
    made = automata(generate(threads_of(FINITE.format(n=3, last=2), tmp_path), Rung.HIDDEN, Limits()))
    wrong = tuple(
        replace(t, locations=tuple(replace(q, inv=build.land(q.inv, _raised(t, i))) for q in t.locations))
        for i, t in enumerate(made)
    )
    assert rotates(wrong)
    with pytest.raises(NotGenerated, match=r"T\[0\]"):
        verify(Session(Limits()), wrong)


def _raised(thread: Automaton, index: int) -> Term:
    return next(build.eq(v.var, build.ONE) for v in thread.variables if v.var.name == f"x[{index}]")
