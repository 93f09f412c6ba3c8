"""The programs of `specs/c`: each says in its first line what `verify` answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sa.base.limits import limits
from sa.engines.verify import Options, verify
from sa.frontends.load import load_program

SPECS = Path(__file__).parents[3] / "specs" / "c"


#: What takes longer than all others together.
LONG = ("event-queue", "fib-five", "fib-five-broken", "many-readers", "time-var-any", "time-var-any-broken")
PROGRAMS = [
    pytest.param(path, id=path.stem, marks=pytest.mark.fuzz if path.stem in LONG else pytest.mark.slow)
    for path in sorted(SPECS.glob("*.c"))
]


@pytest.mark.parametrize("path", PROGRAMS)
def test_the_answer_is_the_expected_one(path: Path) -> None:
    expected = re.match(r"// expect: (\w+)\n", path.read_text())
    assert expected is not None
    answer = verify(load_program(str(path), families=True).program, Options(limits(60.0, None))).verdict
    # Where no step can fail, there is nothing to be proved.
    assert ("proved" if answer is None else answer.value.lower()) == expected.group(1)
