"""Refinement blocks get their meaning from the two programs that they speak of."""

from __future__ import annotations

from sa.automata.program import Refinement
from sa.base.verdict import Verdict
from sa.language.elaborate import elaborate_refinement
from sa.terms import build
from sa.terms.printer import show
from tests.language.texts import elaborated

ABSTRACT = "param A : int; global x : 0..3; global f : bool[2]; thread T { local t : int; skip; }"
CONCRETE = "param A : int; global x, k : int; global f : bool[2]; thread T { local t : int; skip; } "


def meaning(items: str, abstract: str = ABSTRACT, concrete: str = CONCRETE) -> tuple[Refinement, list[str]]:
    """A block in the concrete file, elaborated, with the codes of what is wrong."""
    target = elaborated(concrete + f"refinement r {{ {items} }}")
    refinement, problems = elaborate_refinement(target.blocks[0], elaborated(abstract).program, target.program)
    return refinement, [p.code for p in problems]


def test_a_bare_name_is_equal_on_both_sides() -> None:
    refinement, problems = meaning("relate x, t;")
    assert problems == []
    assert [show(r.term) for r in refinement.relate or ()] == ["conc.x == abs.x", "conc.t == abs.t"]


def test_a_bare_array_relates_all_elements() -> None:
    (related,) = meaning("relate f;")[0].relate or ()
    assert show(related.term) == "conc.f[0] == abs.f[0] && conc.f[1] == abs.f[1]"


def test_formulas_speak_of_both_sides_and_of_plain_parameters() -> None:
    refinement, problems = meaning("relate conc.k == 5 * abs.x + A; pre conc.t == abs.t; inv conc.k >= 0;")
    assert problems == []
    assert [show(f.term) for f in refinement.pre] == ["conc.t == abs.t"]
    assert {v.name for r in refinement.relate or () for v in r.term.free} == {"conc.k", "abs.x", "A"}


def test_without_relate_the_default_is_left() -> None:
    assert meaning("expect proved;")[0].relate is None


def test_a_rely_is_over_plain_globals() -> None:
    refinement, problems = meaning("rely unchanged x; rely k' >= k;")
    assert problems == []
    assert [show(f.term) for f in refinement.rely] == ["x' == x", "k' >= k"]


def test_a_rely_over_a_local_is_an_error() -> None:
    assert set(meaning("rely t' == t;")[1]) == {"SA304"}


def test_the_rest_of_a_block_is_kept() -> None:
    refinement, _ = meaning("thread T refines T; choose init; silent exit; expect refuted;")
    assert [(p.concrete, p.abstract) for p in refinement.pairings] == [("T", "T")]
    assert (refinement.choose_init, refinement.silent_exit, refinement.expect) == (True, True, Verdict.REFUTED)


def test_what_one_side_lacks_cannot_be_related_by_its_name() -> None:
    assert meaning("relate k;")[1] == ["SA452"]


def test_an_unqualified_variable_in_a_formula_is_an_error() -> None:
    assert meaning("inv x >= 0;")[1] == ["SA103"]


def test_a_local_that_threads_declare_with_different_types_is_ambiguous() -> None:
    concrete = "thread T { local t : int; skip; } thread U { local t : bool; skip; } "
    assert meaning("pre conc.t == 0;", concrete=concrete)[1] == ["SA103"]


def test_a_parameter_has_one_type_on_both_sides() -> None:
    assert meaning("", concrete="param A : bool; thread T { skip; } ")[1] == ["SA451"]


def test_arrays_of_different_sizes_cannot_be_related() -> None:
    assert meaning("relate f;", concrete="param A : int; global f : bool[3]; thread T { skip; } ")[1] == ["SA453"]


def test_constants_and_macros_of_the_file_are_known() -> None:
    concrete = "const N = 7; define twice(p) = 2 * p; " + CONCRETE
    refinement, problems = meaning("inv conc.k == twice(abs.x) + N;", concrete=concrete)
    assert problems == []
    (formula,) = refinement.inv
    assert formula.term is build.eq(build.variable("conc.k"), build.linear(7, {build.variable("abs.x"): 2}))
