"""Invariants written at locations may not cut runs of threads in the environments that they declare."""

from __future__ import annotations

import pytest

from sa.base.diagnostic import InputError
from sa.base.limits import Limits
from sa.conditions.inductive import uncut
from tests.language.texts import program_of

TEXT = "global x : int = 0;\nautomaton T {{ rely {}; location q0 initial {{ inv x >= 0; }} edge q0 -> q0 {{ {} }} }}\n"


def _found(rely: str, step: str) -> list[str]:
    try:
        doubt = uncut(program_of(TEXT.format(rely, step)).threads, (), Limits())
    except InputError as wrong:
        return [d.code for d in wrong.diagnostics]
    return [] if doubt is None else [doubt]


@pytest.mark.parametrize(
    ("rely", "step", "cut"),
    [
        ("x' >= x", "x := x + 1;", False),
        ("x' >= x", "x := x - 1;", True),
        ("x' <= x", "x := x + 1;", True),
    ],
)
def test_steps_of_the_thread_and_of_its_environment_keep_the_invariant(rely: str, step: str, cut: bool) -> None:
    assert _found(rely, step) == ["SA506"] * cut
