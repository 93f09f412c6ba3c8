"""Each concrete initial state has an abstract one, also where there is no equation for what nothing relates."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.refine import RefineRequest, refine
from sa.base.limits import Limits, limits
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.game.board import lay_out
from sa.game.opening import NotCovered, cover
from sa.question.goals import goals
from sa.smt.session import Session, Undecided
from tests.endtoend.asking import read


def answer(folder: Path, abstract: str, concrete: str, relate: str) -> Verdict:
    (folder / "abs.sa").write_text(f"{abstract} thread T {{ skip; }}")
    (folder / "conc.sa").write_text(f"{concrete} thread T {{ skip; }} refinement r {{ relate {relate}; }}")
    paths = (str(folder / "abs.sa"), str(folder / "conc.sa"))
    (found,) = refine(RefineRequest(paths, False, Options(limits(20.0, None))))
    return found.outcome.verdict


@pytest.mark.parametrize(
    ("declared", "relate"),
    [
        # An element behind the end has one value, so that the length cannot be chosen apart from it.
        ("global q : seq<int, 1>;", "conc.q[0] == abs.q[0]"),
        ("global x, y : int; init x == 2 * y || x < 0;", "conc.x == abs.x"),
    ],
)
def test_what_nothing_relates_may_begin_as_on_the_other_side(tmp_path: Path, declared: str, relate: str) -> None:
    assert answer(tmp_path, declared, declared, relate) is Verdict.PROVED


@pytest.mark.parametrize(
    ("declared", "relate"),
    [
        ("global y : int;", "conc.x <= abs.y"),
        ("global y : int;", "conc.x < abs.y && abs.y % 2 == 0"),
        ("global y : int;", "3 * abs.y <= conc.x && conc.x < 3 * abs.y + 3"),
        ("global y : int;", "conc.x == 2 * abs.y || conc.x == 2 * abs.y + 1"),
        ("global y, z : int; init y < z;", "abs.y <= conc.x && conc.x < abs.z"),
        ("global a : int[4];", "forall k : 0..3 :: abs.a[k] > conc.x + k"),
    ],
)
def test_values_near_bounds_are_found_for_all_states_at_once(tmp_path: Path, declared: str, relate: str) -> None:
    assert answer(tmp_path, declared, "global x : int;", relate) is Verdict.PROVED


def test_values_of_a_function_without_a_body_are_no_reason_for_a_value(tmp_path: Path) -> None:
    """The function may have no large values, so that nothing is known."""
    declared = "function f(int) : int;"
    found = answer(tmp_path, f"{declared} global y : int;", f"{declared} global x : int;", "conc.x <= f(abs.y)")
    assert found is not Verdict.PROVED


def test_a_state_without_a_partner_refutes(tmp_path: Path) -> None:
    assert answer(tmp_path, "global y : int; init y >= 0;", "global x : int;", "abs.y <= conc.x") is Verdict.REFUTED


def test_that_the_solver_gives_up_says_nothing_of_partners(monkeypatch: pytest.MonkeyPatch) -> None:
    (goal,) = goals(*read("global y : int; thread T { skip; }", "global x : int; thread T { skip; }"), whole=True)
    session = Session(Limits())
    monkeypatch.setattr(Session, "check", lambda *_: Undecided("it gave up"))
    assert cover(session, lay_out(goal)) == NotCovered({}, False)
