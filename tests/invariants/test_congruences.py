"""Remainders that numbers may have: what is left of them says where an unrolled loop ends."""

from __future__ import annotations

import pytest

from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.engines.refine import refine
from sa.invariants.congruences import remainders
from sa.terms.printer import show
from tests.endtoend.asking import read

ROLLED = "param N : int; init START; global s : int = 0; thread T { local k : int = 0; LOOP @end(s) skip; }"
ONE = "while (k < N) { s := s + 3 * k; k := k + 1; }"
TWO = "while (k < N) { s := s + 3 * k; k := k + 1; s := s + 3 * k; k := k + 1; }"
THREE = "while (k < N) { s := s + 3 * k; s := s + 3 * k + 3; s := s + 3 * k + 6; k := k + 3; }"


def _text(start: str, loop: str) -> str:
    return ROLLED.replace("START", start).replace("LOOP", loop)


def _offered(text: str) -> list[str]:
    _, program = read(text, text)[:2]
    return [said for said in map(show, remainders(program.threads)) if said.startswith("k")]


def test_steps_and_what_is_told_elsewhere_are_divisors() -> None:
    assert _offered(_text("N % 2 == 0", ONE)) == ["k % 2 == 0", "k % 2 == 1"]
    assert _offered(_text("N >= 0", THREE)) == ["k % 3 == 0", "k % 3 == 1", "k % 3 == 2"]
    assert _offered(_text("N >= 0", ONE)) == []


@pytest.mark.parametrize(("start", "loop"), [("N >= 0 && N % 2 == 0", TWO), ("N >= 0 && N % 3 == 0", THREE)])
def test_a_loop_may_be_unrolled_where_its_bound_is_a_multiple(start: str, loop: str) -> None:
    asked = read(_text(start, ONE), _text(start, loop))
    assert refine(*asked, Options(limits(30.0, None))).verdict is Verdict.PROVED


@pytest.mark.parametrize(("start", "loop"), [("N >= 0 && N % 2 != 0", TWO), ("N >= 0 && N % 3 != 2", THREE)])
def test_elsewhere_it_may_not(start: str, loop: str) -> None:
    asked = read(_text(start, ONE), _text(start, loop))
    assert refine(*asked, Options(limits(30.0, None))).verdict is Verdict.REFUTED
