"""`--weakest-rely` on the smallest pairs that show something."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.refine import RefineRequest
from sa.app.weakest import weakest_relies
from sa.base.diagnostic import InputError
from sa.base.verdict import Verdict
from sa.frontends.load import load_program
from sa.language.unparse import show_program
from sa.report.screen import Screen
from sa.report.terminal import show_document
from sa.report.weakest import clause_text, weakest_document
from sa.weakest.infer import Weakest, weakest
from tests.simulation.examples import answer
from tests.weakest.pairs import OPTIONS, found, programs

XY = "global x, y : int;"


def _at(answer: Weakest) -> dict[str, list[str]]:
    assert answer.environment is not None
    assert answer.environment.result.verdict is Verdict.PROVED
    said = dict[str, list[str]]()
    for needed in answer.environment.concrete:
        assert needed.without is not None and needed.without.verdict is Verdict.REFUTED
        said.setdefault(needed.place, []).append(clause_text(needed.clause))
    return said


def _relies(answer: Weakest) -> list[str]:
    assert answer.uniform is not None and answer.uniform.result.verdict is Verdict.PROVED
    return [clause_text(n.clause) for n in answer.uniform.concrete]


def test_a_thread_refines_itself_whatever_others_do(tmp_path: Path) -> None:
    same = found(tmp_path, XY, "x := y; y := x;", "x := y; y := x;")
    assert _at(same) == {}
    assert _relies(same) == []
    assert same.environment is not None and same.environment.maximal


def test_a_value_that_is_read_once_instead_of_twice_may_be_changed(tmp_path: Path) -> None:
    bodies = "local r, s : int; r := x; s := x; @out(r, s) skip;", "local r, s : int; r := x; s := r; @out(r, s) skip;"
    assert _at(found(tmp_path, XY, *bodies)) == {}


def test_reads_the_other_way_round_need_that_one_variable_stays_between_them(tmp_path: Path) -> None:
    bodies = "local r, s : int; r := x; s := y; @out(r, s) skip;", "local r, s : int; s := y; r := x; @out(r, s) skip;"
    swapped = found(tmp_path, XY, *bodies)
    assert _at(swapped) == {"q1": ["unchanged x"]}
    assert _relies(swapped) == ["unchanged x"]


def test_what_stays_has_one_name_in_all_clauses(tmp_path: Path) -> None:
    """That y stays and that x + y' == x' + y is that x stays, too; then y need not."""
    body = "local r, s : int; r := x; y := 1; s := {}; y := r + s;"
    kept = found(tmp_path, XY, body.format("x"), body.format("r"))
    assert _at(kept) == {"q1": ["unchanged x"]}
    assert _relies(kept) == ["unchanged x"]


@pytest.mark.parametrize(
    ("rely", "verdict"), [("x' == x", "proved"), ("y' == y", "proved"), ("x' == x || y' == y", "refuted")]
)
def test_two_maximal_environments_cannot_be_compared(rely: str, verdict: str) -> None:
    first = "local r, s : int; rely true; r := x; s := y; @out(r, s) skip;"
    second = f"rely {rely}; local r, s : int; s := y; r := x; @out(r, s) skip;"
    assert answer(first, second, XY) == verdict


def test_what_is_folded_needs_less_than_that_nothing_changes(tmp_path: Path) -> None:
    folded = found(
        tmp_path, XY + " global z : int;", "x := 2; y := x + 3; z := z + x + y;", "x := 2; y := 5; z := z + 7;"
    )
    assert _at(folded) == {"q1": ["x == 2 ==> unchanged x"], "q2": ["x + y == 7 ==> x' + y' == 7"]}


def test_a_test_made_once_needs_that_its_outcome_stays_and_no_more(tmp_path: Path) -> None:
    bodies = "if (x >= 0) { y := 1; if (x >= 0) { y := 2; } }", "if (x >= 0) { y := 1; y := 2; }"
    assert _at(found(tmp_path, XY, *bodies)) == {"q1": ["x >= 0 ==> x' >= 0"]}


def test_what_is_known_of_locals_from_the_start_is_nobodys_business(tmp_path: Path) -> None:
    bodies = "local k : int = 0; x := 0;", "local k : int = 0; if (k == 1) { @never skip; } x := k;"
    assert _at(found(tmp_path, XY, *bodies)) == {}


def test_an_abstract_variable_that_is_not_related_has_an_environment_of_its_own(tmp_path: Path) -> None:
    abstract = tmp_path / "abs.sa"
    abstract.write_text("global x, h : int;\nthread T { h := x; @one skip; x := h; }\n", encoding="utf-8")
    concrete = tmp_path / "conc.sa"
    concrete.write_text("global x : int;\nthread T { local k : int; k := x; @one skip; x := k; }\n", encoding="utf-8")
    (both,) = weakest(load_program(str(abstract)).program, load_program(str(concrete)).program, None, OPTIONS)
    assert both.environment is not None
    assert [clause_text(n.clause) for n in both.environment.abstract] != []
    assert {v.name for n in both.environment.abstract for v in n.clause.kept.free} == {"h"}


def test_where_the_pair_is_refuted_by_itself_no_environment_helps(tmp_path: Path) -> None:
    hopeless = found(tmp_path, XY, "x := 1;", "x := 2;")
    assert hopeless.verdict is Verdict.REFUTED
    assert hopeless.hopeless is not None and hopeless.hopeless.play is not None


def test_what_is_printed_can_be_read_back_and_is_proved(tmp_path: Path) -> None:
    swapped = found(tmp_path, XY, "local r : int; r := x; y := r;", "local r : int; r := x; y := r; y := r;")
    assert swapped.environment is not None
    for name, program in zip(("abs", "conc"), swapped.environment.programs, strict=True):
        (tmp_path / f"{name}.sa").write_text(show_program(program), encoding="utf-8")
    from sa.app.refine import RefineRequest, refine

    (again,) = refine(RefineRequest((str(tmp_path / "abs.sa"), str(tmp_path / "conc.sa")), False, OPTIONS))
    assert again.outcome.verdict is Verdict.PROVED


def test_a_rely_that_is_declared_already_is_an_error(tmp_path: Path) -> None:
    declaring = programs(tmp_path, XY, "rely unchanged x; x := 1;", "x := 1;")
    with pytest.raises(InputError) as wrong:
        list(weakest(*declaring, None, OPTIONS))
    assert [d.code for d in wrong.value.diagnostics] == ["SA410"]


#: A register is used while the lock is held.
LOCK = "global l : 0..2 = 0; global x : int;"
IN_MEMORY = "lock(l); x := x + 1; x := x + 2; unlock(l);"
IN_A_REGISTER = "local k : int; lock(l); k := x; k := k + 1; k := k + 2; x := k; unlock(l);"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Weakest:
    """The answer about the pair under a lock."""
    return found(tmp_path_factory.mktemp("kept"), LOCK, IN_MEMORY, IN_A_REGISTER)


def test_a_rely_is_guarded_by_the_lock_that_the_thread_holds(kept: Weakest) -> None:
    """Others write x, too, in regions of their own: that nobody ever writes it would be no use."""
    assert _relies(kept)[-1] == "l == 1 ==> unchanged x"
    assert all(rely.startswith("l == 1 ==> ") for rely in _relies(kept))


def test_a_lock_does_not_help_what_goes_on_outside_of_it(tmp_path: Path) -> None:
    late = IN_A_REGISTER.replace("x := k; unlock(l);", "unlock(l); x := k;")
    kept = found(tmp_path, LOCK, IN_MEMORY, late)
    assert kept.uniform is None or "l == 1 ==> unchanged x" not in _relies(kept)


def test_the_answer_takes_ten_lines_and_the_rest_is_there_for_who_asks(kept: Weakest) -> None:
    short, long = (show_document(weakest_document(kept, "TEXT", 0.0, None, why), Screen(100)) for why in (False, True))
    assert len([line for line in short.splitlines() if line]) <= 12
    assert "TEXT" not in short and "TEXT" in long and "Without `" in long


def test_where_no_rely_helps_the_answer_says_which_relation_does(tmp_path: Path) -> None:
    first, second = tmp_path / "abs.sa", tmp_path / "conc.sa"
    first.write_text("global x, n : int;\nthread T { x := 0; x := n * 2; @done skip; }\n", encoding="utf-8")
    second.write_text("global x, n : int;\nthread T { x := 0; x := n; @done skip; }\n", encoding="utf-8")
    (answer,) = weakest_relies(RefineRequest((str(first), str(second)), False, OPTIONS))
    assert answer.found.verdict is Verdict.REFUTED
    assert answer.proposal is not None and "relate conc.n == abs.n;" in answer.proposal.block
