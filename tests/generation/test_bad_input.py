"""Programs that boxes cannot do justice to: generation ends in time, and what it says is checked."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from sa.app.check import check, has_errors
from sa.app.generate import Inferred, infer
from sa.app.refine import RefineRequest, refine
from sa.automata.automaton import location_of
from sa.base.limits import LimitReached, Limits, limits
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.generation.visibility import Level
from sa.language.load import load_program

#: Seconds that any of these programs may take, on a slow machine.
PATIENCE = 60.0

PROGRAMS = {
    "unbounded counters": """
        global x, y : int = 0;
        thread T { while (true) { x := x + 1; y := x; } }
        thread U { while (true) { x := x + 2; y := y - 1; } }
    """,
    "non-linear updates": """
        global x, y : int = 2;
        thread T { while (true) { x := x * y; y := x * x - y; } }
        thread U { local l : int = 1; while (l * l < 100) { l := l * x; y := l % 7; } }
    """,
    "huge constants": """
        global x : int = 0;
        thread T { while (x < 1000000000000000000000000000000) { x := x + 999999999999999999999999999999; } }
        thread U { while (true) { x := 0 - 1000000000000000000000000000000; } }
    """,
    "a variable that everybody writes": "global x : int = 0;"
    + "".join(
        f"thread T{i} {{ local l : int = 0; "
        f"while (true) {{ l := x; x := l + {i}; if (l > {7 * i}) {{ x := {i}; }} }} }}"
        for i in range(6)
    ),
}


def inferred(path: Path, text: str, closures: bool = True, level: Level = Level.HIDDEN) -> Inferred:
    """What generation says of a program, within the time that it has."""
    path.write_text(text)
    found = infer(str(path), level, closures, False, limits(PATIENCE, None))
    assert isinstance(found, Inferred)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("closures", [False, True])
def test_it_ends_and_passes_all_checks(tmp_path: Path, name: str, closures: bool) -> None:
    """`infer` raises if the solver does not accept what boxes say."""
    found = inferred(tmp_path / "bad.sa", PROGRAMS[name], closures)
    (tmp_path / "printed.sa").write_text(found.text)
    assert load_program(str(tmp_path / "printed.sa")).program.threads


def test_a_thousand_cut_points_end(tmp_path: Path) -> None:
    """A guard with as many holes as a diagram has cuts."""
    holes = " && ".join(f"x != {3 * i}" for i in range(1000))
    text = f"global x : int = 1; thread T {{ while ({holes}) {{ x := x + 3; }} }} thread U {{ x := 1; }}"
    inferred(tmp_path / "cuts.sa", text)


def test_precision_that_is_given_up_is_noted_once_for_each_thread(tmp_path: Path) -> None:
    """With the thread and the variables; what has bounds is not mentioned."""
    declared = "global x : int = 0; global z : 0..3 = 0;"
    text = f"{declared} thread T {{ while (true) {{ x := x + 1; z := 1; }} }} thread U {{ z := 2; }}"
    notes = [d.message for d in inferred(tmp_path / "counter.sa", text).diagnostics if d.code == "SA511"]
    assert len(notes) == 2 and all("`x`" in note and "`z`" not in note for note in notes)


def test_nothing_is_noted_where_all_is_bounded(tmp_path: Path) -> None:
    """Comparisons with constants stop widening."""
    text = "global x : int = 0; thread T { while (x < 9) { x := x + 1; } } thread U { x := 3; }"
    assert inferred(tmp_path / "bounded.sa", text).diagnostics == ()


def test_time_that_is_up_is_no_answer(tmp_path: Path) -> None:
    """Neither an automaton nor a crash."""
    path = tmp_path / "late.sa"
    path.write_text(PROGRAMS["a variable that everybody writes"])
    with pytest.raises(LimitReached):
        infer(str(path), Level.LOCALS, True, False, Limits(deadline=monotonic()))


def test_a_declared_environment_is_replaced_with_a_warning(tmp_path: Path) -> None:
    """What is inferred holds for this file alone, and that is said."""
    text = "global x : int = 0; thread T { rely x >= old(x); x := 1; } thread U { x := 2; }"
    assert [d.code for d in inferred(tmp_path / "rely.sa", text).diagnostics] == ["SA510"]


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("name", ["peterson", "dekker", "ticket", "seqlock"])
def test_the_printed_program_is_the_inferred_one(tmp_path: Path, name: str, level: Level) -> None:
    """Locations, invariants and environments are read back as they were."""
    found = inferred(tmp_path / f"{name}.sa", Path(f"specs/mutex/{name}.sa").read_text(), level=level)
    (tmp_path / "printed.sa").write_text(found.text)
    again = load_program(str(tmp_path / "printed.sa")).program
    assert again.init is found.program.init
    for before, after in zip(found.program.threads, again.threads, strict=True):
        for place in before.locations:
            assert location_of(after, place.name).env is place.env
            assert location_of(after, place.name).inv is place.inv
        assert [(e.source, e.target, e.guard, dict(e.updates)) for e in before.edges if not e.choices] == [
            (e.source, e.target, e.guard, dict(e.updates)) for e in after.edges if not e.choices
        ]


@pytest.mark.parametrize("subject", ["constant-folding", "if-optimization-1", "cross-jumping", "branch-elimination"])
def test_generated_files_are_refined_as_the_plain_ones(tmp_path: Path, subject: str) -> None:
    """Each thread by itself, in the environment that was inferred for it."""
    for side in ("abs", "conc"):
        text = Path(f"specs/closed/{subject}/{side}.sa").read_text()
        (tmp_path / f"{side}.sa").write_text(inferred(tmp_path / f"plain-{side}.sa", text).text)
    files = str(tmp_path / "abs.sa"), str(tmp_path / "conc.sa")
    (answer,) = refine(RefineRequest(files, split=False, options=Options(limits(PATIENCE, None))))
    assert answer.outcome.verdict is Verdict.PROVED
    assert not has_errors(check(files, False, Limits()))
