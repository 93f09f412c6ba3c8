"""What a prover may do is counted in units of work: no prover knows the time (decision 032)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_architecture import ROOT, imports, parsed

#: Rooms that may import a clock.
READ_IT = {"base", "processes"}

#: Rooms that may say how long something took.
TELL_IT = {*READ_IT, "engines", "scripts", "app", "cli"}

CLOCKS = {"time", "datetime"}


def clocks(room: str, text: str) -> list[str]:
    """The clocks that a module of a room looks at and may not."""
    found = list[str]()
    for name in imports(parsed(text)):
        if (name.split(".")[0] in CLOCKS and room not in READ_IT) or (
            name.startswith("sa.base.clock") and room not in TELL_IT
        ):
            found.append(name)
    return found


def test_no_prover_looks_at_a_clock() -> None:
    """Only `processes` and `base` import one; those who report to users ask `base/clock.py`."""
    modules = sorted((ROOT / "sa").rglob("*.py"))
    found = {str(path): names for path in modules if (names := clocks(_room(path), path.read_text()))}
    assert found == {}


def _room(path: Path) -> str:
    return path.relative_to(ROOT / "sa").parts[0]


@pytest.mark.parametrize(
    ("room", "text"),
    [
        ("cli", "import time"),
        ("smt", "def f():\n    from time import monotonic"),
        ("invariants", "import sa.base.clock"),
    ],
)
def test_a_clock_is_found(room: str, text: str) -> None:
    assert clocks(room, text)
    assert clocks("processes", text) == []
