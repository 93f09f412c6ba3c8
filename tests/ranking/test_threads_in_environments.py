"""`refine --preserve` of threads that declare relies, and the same threads beside one that does what they rely on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sa.base.limits import LimitReached, allot, limits
from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.certificates.preservation import Kept
from sa.cli.main import application
from sa.engines.options import Options
from sa.engines.preserving_threads import thread_by_thread
from sa.engines.refine import refine
from sa.language.elaborate.program import program
from tests.oracle.endings import graph
from tests.oracle.preservation import preserves
from tests.ranking.pairs import pair

SPINS = "global f : int = 0; thread T {{ rely {0}; local r : int = 0; {1} @out skip; }}"
RISES, FALLS = "f' >= f", "f' <= f"
AGAIN, ONCE = "while (f == 0) { skip; }", "r := f; while (r == 0) { skip; }"
COUNTS = "while (r < f) { r := r + 1; }"


def asked(first: str, second: str, kept: str, folder: Path) -> int:
    """The exit status of `refine` and, where it is settled, whether its certificate is accepted."""
    (folder / "abs.sa").write_text(first)
    (folder / "conc.sa").write_text(second)
    names = ("--certificate", str(folder / "p.json"), str(folder / "abs.sa"), str(folder / "conc.sa"))
    status = CliRunner().invoke(application(), ("refine", "--no-cache", "--preserve", kept, *names)).exit_code
    if status in (0, 1):
        assert CliRunner().invoke(application(), ("certify", str(folder / "p.json"))).exit_code == 0
    return status


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        (SPINS.format(RISES, AGAIN), SPINS.format(RISES, "r := f; while (r == 0) { r := f; }"), 0),
        (SPINS.format(RISES, AGAIN), SPINS.format(RISES, ONCE), 1),
        (SPINS.format(RISES, ""), SPINS.format(RISES, "while (true) { skip; }"), 1),
        # A bound that only falls is reached; one that others may raise again and again need not be.
        (SPINS.format(FALLS, ""), SPINS.format(FALLS, COUNTS), 0),
        (SPINS.format(RISES, ""), SPINS.format(RISES, COUNTS), 3),
    ],
)
def test_a_thread_goes_on_for_ever_only_where_it_did(first: str, second: str, status: int, tmp_path: Path) -> None:
    assert asked(first, second, "termination", tmp_path) == status


@pytest.mark.parametrize(("second", "status"), [("await f > 0;", 0), ("await f > 1;", 3)])
def test_a_thread_waits_only_where_it_did(second: str, status: int, tmp_path: Path) -> None:
    first = SPINS.format(RISES, "await f > 0;")
    assert asked(first, SPINS.format(RISES, second), "progress", tmp_path) == status


def test_a_run_without_what_its_environment_does_is_rejected(tmp_path: Path) -> None:
    assert asked(SPINS.format(RISES, AGAIN), SPINS.format(RISES, ONCE), "termination", tmp_path) == 1
    document = json.loads((tmp_path / "p.json").read_text())
    run = document["questions"][0]["preserved"]["evidence"]["thread"]["parting"]["lasso"]["run"]
    (place,) = [n for n, turn in enumerate(run["turns"]) if turn["choices"]]
    del run["turns"][place]
    run["cycle"] -= 1
    (tmp_path / "p.json").write_text(json.dumps(document))
    assert CliRunner().invoke(application(), ("certify", str(tmp_path / "p.json"))).exit_code != 0


#: x may be raised at any time.
RELY = "rely x' >= x && y' == y && b' == b && m' == m;"
RAISES = "\nthread E { local v : 0..2 = 0; while (true) { havoc v; await v > x; @raised(v) x := v; } }"


def compared(seed: int) -> Verdict | None:
    """What is said of a thread in its environment agrees with all states of it beside one that does the same."""
    texts = pair(seed)
    if "thread B" in texts[0]:
        return None
    graphs = [graph(program(Source("", text + RAISES)).threads, 600) for text in texts]
    if graphs[0] is None or graphs[1] is None:
        return None
    expected = preserves(graphs[0], graphs[1], True)
    first, second = (program(Source("", text.replace("{ local i", f"{{ {RELY} local i"))) for text in texts)
    options = Options(allot(limits(20.0, None), 500_000))
    outcome = refine(first, second, None, options)
    if outcome.verdict is not Verdict.PROVED:
        return None
    try:
        found = thread_by_thread(outcome, second, Kept.TERMINATION, Options(allot(limits(20.0, None), 500_000)))
    except LimitReached:
        return Verdict.UNKNOWN
    if found.verdict is not Verdict.UNKNOWN:
        assert (found.verdict is Verdict.PROVED) == expected, seed
    return found.verdict


@pytest.mark.parametrize("seed", range(10))
def test_a_thread_in_its_environment_is_one_beside_what_it_relies_on(seed: int) -> None:
    compared(seed)


@pytest.mark.fuzz
def test_many_threads_in_their_environments_are_those_beside_what_they_rely_on() -> None:
    found = {compared(seed) for seed in range(100, 3_100)}
    assert {Verdict.PROVED, Verdict.REFUTED} <= found
