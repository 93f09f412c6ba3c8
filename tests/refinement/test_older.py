"""Copies of numbers that only grow are at most these numbers, and only those."""

from __future__ import annotations

import pytest

from sa.base.limits import limits
from sa.question.goals import goals
from sa.refinement.older import older_copies
from sa.smt.session import Session
from sa.terms.printer import show
from tests.endtoend.asking import read

TEXT = """
global n : int = 0;
thread Read {{ local a, b : int = 0; while (true) {{ a := n; b := n; @read(a, b) skip; }} }}
thread Write {{ local s : int = 0; while (true) {{ {} }} }}
"""


@pytest.mark.parametrize(
    ("write", "copies"),
    [
        ("n := n + 1;", ["Read.a", "Read.b"]),
        ("s := n; atomic { if (n == s) { n := s + 2; } }", ["Read.a", "Read.b", "Write.s"]),
        ("n := n - 1;", []),
        ("n := 0;", []),
        ("s := n; n := s + 1;", ["Write.s"]),
        ("havoc s; atomic { if (s >= n) { n := s; } }", ["Read.a", "Read.b"]),
    ],
)
def test_copies_are_older(write: str, copies: list[str]) -> None:
    text = TEXT.format(write)
    (goal,) = goals(*read(text, text), whole=True)
    found = older_copies(Session(limits(None, None)), goal.concrete)
    assert sorted(map(show, found)) == [f"conc.{copy} <= conc.n" for copy in copies]
