"""The functions of `specs/llvm`: each is proved after an optimisation, and refuted after one that goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer_of_files

pytest.importorskip("llvmlite")

SPECS = Path(__file__).parents[3] / "specs" / "llvm"
#: What takes longer than all others together.
LONG = ("consumption", "swap")
NAMES = [
    pytest.param(name, marks=pytest.mark.fuzz if name in LONG else ())
    for name in sorted(p.name.removesuffix(".before.ll") for p in SPECS.glob("*.before.ll"))
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("kind", "verdict"), [("after", "PROVED"), ("broken", "REFUTED")])
def test_the_answer_is_the_expected_one(name: str, kind: str, verdict: str) -> None:
    assert answer_of_files(SPECS / f"{name}.before.ll", SPECS / f"{name}.{kind}.ll") == verdict
