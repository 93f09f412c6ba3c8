"""What `sacheck refine` loads before it begins, and what that costs beside loading the solver."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

#: What the command line and the worker of `refine` import for a proof of two threads.
PATH = "sa.cli.main, sa.app.cache, sa.app.refine, sa.engines.portfolio_of_goals, sa.report.terminal"

#: Rooms and libraries that such a proof does not need.
UNNEEDED = ("sa.generation", "sa.plays", "sa.values", "sa.frontends.c", "sa.language.elaborate.script", "pydantic")

MEASURE = """
import resource, sys
def spent():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
before = spent()
import {what}
print(spent() - before, *(m for m in sys.modules if m.split(".")[0] in ("sa", "pydantic")))
"""


def loaded(what: str, folder: Path) -> tuple[float, list[str]]:
    """The least processor time of some imports in seconds, with byte code at hand, and the modules there are then."""
    known = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment = {**known, "PYTHONPYCACHEPREFIX": str(folder)}
    command = [sys.executable, "-c", MEASURE.format(what=what)]
    told = [subprocess.check_output(command, env=environment, text=True).split() for _ in range(6)]
    return min(float(words[0]) for words in told[1:]), told[0][1:]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> tuple[float, list[str]]:
    """The time and the modules of the path of `refine`."""
    return loaded(PATH, tmp_path_factory.mktemp("path"))


def test_rooms_are_loaded_when_they_are_needed(path: tuple[float, list[str]]) -> None:
    _, modules = path
    assert [m for m in modules if m.startswith(UNNEEDED)] == []
    assert len(modules) < 225


def test_loading_takes_a_few_times_as_long_as_loading_the_solver(path: tuple[float, list[str]], tmp_path: Path) -> None:
    seconds, _ = path
    solver, _ = loaded("z3", tmp_path)
    # 3.7 when this was written; 6.4 where every room was loaded and data were dataclasses.
    assert seconds < 5 * solver
