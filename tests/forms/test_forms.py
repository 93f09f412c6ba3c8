"""One program, written in five ways: inline or with functions, by loads and stores or in place, with `while` or `for`,
with helper variables, with pointers as parameters. The verdict is the same in all, and so it is of broken twins.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.verify import VerifyRequest, verify
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.verify import Options

FILES = sorted(Path(__file__).parent.glob("*.c"))

#: Those that take least.
QUICK = [f for f in FILES if f.stem.startswith("transfer") and not f.stem.endswith("broken")]


def answer(file: Path) -> Verdict | None:
    return verify(VerifyRequest(str(file), False, Options(limits(120.0, None)))).outcome.verdict


def expected(file: Path) -> Verdict:
    return Verdict.REFUTED if file.stem.endswith("broken") else Verdict.PROVED


def test_each_program_is_there_in_five_ways_with_a_broken_twin() -> None:
    names = {f.stem.removesuffix("-broken").rsplit("-", 1)[0] for f in FILES}
    assert {f.stem for f in FILES} == {f"{n}-{k}{b}" for n in names for k in range(5) for b in ("", "-broken")}


@pytest.mark.parametrize("file", QUICK, ids=lambda f: f.stem)
def test_a_transfer_is_proved_in_each_form(file: Path) -> None:
    assert answer(file) == expected(file)


@pytest.mark.fuzz
@pytest.mark.parametrize("file", [f for f in FILES if f not in QUICK], ids=lambda f: f.stem)
def test_the_form_makes_no_difference(file: Path) -> None:
    assert answer(file) == expected(file)
