"""Proof scripts: from text to claims about threads of imported programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.automata.automaton import Kind, variables_of
from sa.automata.proof import Preserves, Refines, Rule, Script, Step
from sa.base.diagnostic import InputError
from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.conditions.composition import product
from sa.language.format import format_source
from sa.language.load import load, load_program, load_script
from sa.language.loaded import Loaded, LoadedScript
from sa.terms.printer import show
from tests.language.scripts import IMPORTS, write


def script_of(folder: Path, text: str, **files: str) -> Script:
    """The meaning of a script that imports `abs.sa` and `conc.sa`."""
    return load_script(write(folder, IMPORTS + text, **files)).script


def step_of(folder: Path, text: str) -> Step:
    """The meaning of a script's only step."""
    (step,) = script_of(folder, text).steps
    return step


def refines_of(folder: Path, text: str) -> Refines:
    """The only claim, a refinement."""
    claim = step_of(folder, text).claim
    assert isinstance(claim, Refines)
    return claim


def preserves_of(folder: Path, text: str) -> Preserves:
    """The only claim, an invariant."""
    claim = step_of(folder, text).claim
    assert isinstance(claim, Preserves)
    return claim


# ---------------------------------------------------------------- claims


def test_the_script_of_the_design_is_read(tmp_path: Path) -> None:
    text = """\
lemma   t1      : conc.T1 refines abs.T1 relate a, b, m;
lemma   t2      : conc.T2 refines abs.T2 relate a, b, n;
theorem refined : conc.T1 || conc.T2 refines abs.T1 || abs.T2 by parallel(t1, t2);
lemma   abs_ok  : abs.T1 || abs.T2 preserves gcd(a, b) == gcd(A, B) by parallel;
theorem correct : conc.T1 || conc.T2 preserves gcd(a, b) == gcd(A, B) by preservation(refined, abs_ok);
"""
    t1, _, refined, abs_ok, correct = script_of(tmp_path, text).steps
    assert [(s.name, s.kind, s.rule, s.cited) for s in (t1, refined, correct)] == [
        ("t1", "lemma", None, ()),
        ("refined", "theorem", Rule.PARALLEL, ("t1", "t2")),
        ("correct", "theorem", Rule.PRESERVATION, ("refined", "abs_ok")),
    ]
    assert isinstance(t1.claim, Refines)
    assert t1.claim.relate is not None
    assert [show(r.term) for r in t1.claim.relate] == ["conc.a == abs.a", "conc.b == abs.b", "conc.m == abs.m"]
    assert isinstance(refined.claim, Refines)
    assert refined.claim.relate is None
    assert (refined.claim.left, refined.claim.right) == (
        (("conc", "T1"), ("conc", "T2")),
        (("abs", "T1"), ("abs", "T2")),
    )
    assert isinstance(abs_ok.claim, Preserves)
    assert {v.name for v in abs_ok.claim.formula.free} == {"a", "b", "A", "B"}
    assert isinstance(correct.claim, Preserves)
    assert correct.claim.formula is abs_ok.claim.formula


def test_clauses_stand_behind_the_claim_or_in_braces(tmp_path: Path) -> None:
    behind = refines_of(tmp_path, "lemma l : conc.T1 refines abs.T1 relate a pre conc.b == abs.b inv conc.k >= 0;")
    inside = refines_of(
        tmp_path, "lemma l : conc.T1 refines abs.T1 { relate a; pre conc.b == abs.b; inv conc.k >= 0; }"
    )
    for claim in (behind, inside):
        formulas = [*(r.term for r in claim.relate or ()), *(f.term for f in (*claim.pre, *claim.inv))]
        assert [show(f) for f in formulas] == ["conc.a == abs.a", "conc.b == abs.b", "conc.k >= 0"]


def test_every_clause_has_its_place(tmp_path: Path) -> None:
    text = "conc.T1 refines abs.T1 { rely unchanged a; rely k' >= k; choose init; silent exit; expect refuted; }"
    step = step_of(tmp_path, f"theorem t : {text}")
    assert isinstance(step.claim, Refines)
    assert [show(f.term) for f in step.claim.rely] == ["a' == a", "k' >= k"]
    assert (step.claim.choose_init, step.claim.silent_exit, step.expect) == (True, True, Verdict.REFUTED)


@pytest.mark.parametrize("text", ["by auto expect unknown;", "by auto { expect unknown; }", "expect unknown;"])
def test_an_expectation_stands_behind_a_step_or_in_its_braces(tmp_path: Path, text: str) -> None:
    step = step_of(tmp_path, f"lemma l : conc.T1 refines abs.T1 relate a {text}")
    assert step.expect is Verdict.UNKNOWN
    assert step.rule is (Rule.AUTO if "auto" in text else None)


def test_a_script_has_constants_axioms_and_an_expectation_of_its_own(tmp_path: Path) -> None:
    own = "const M = 7; define big(p) = p > M; axiom gcd(4, 6) == 2; function gcd(int, int) : int; expect proved;"
    script = script_of(tmp_path, f"{own} lemma l : conc.T1 refines abs.T1 inv big(conc.a) && gcd(abs.a, M) >= conc.N;")
    (step,) = script.steps
    assert isinstance(step.claim, Refines)
    assert {v.name for v in step.claim.inv[0].term.free} == {"conc.a", "abs.a"}
    assert script.expect is Verdict.PROVED
    assert [show(a.formula) for a in script.axioms][-1] == "gcd(4, 6) == 2"


def test_equal_functions_and_axioms_of_the_programs_are_one(tmp_path: Path) -> None:
    script = script_of(tmp_path, "lemma l : conc refines abs;")
    assert [f.name for f in script.functions] == ["gcd"]
    assert len(script.axioms) == 1


# ---------------------------------------------------------------- sides


def test_an_alias_alone_means_all_threads(tmp_path: Path) -> None:
    claim = refines_of(tmp_path, "lemma l : conc refines abs;")
    assert claim.left == (("conc", "T1"), ("conc", "T2"))
    assert claim.right == (("abs", "T1"), ("abs", "T2"))


def test_whole_programs_are_paired_by_name(tmp_path: Path) -> None:
    turned = "global a : int; thread T2 { skip; } thread T1 { skip; }"
    (step,) = script_of(tmp_path, 'import "turned.sa" as t; lemma l : conc refines t;', turned=turned).steps
    assert isinstance(step.claim, Refines)
    assert step.claim.right == (("t", "T1"), ("t", "T2"))


def test_listed_threads_are_paired_by_position(tmp_path: Path) -> None:
    text = 'import "other.sa" as other; lemma l : conc refines other.V || other.U;'
    assert refines_of(tmp_path, text).right == (("other", "V"), ("other", "U"))


def test_members_of_families_are_threads(tmp_path: Path) -> None:
    text = 'const N = 2; import "family.sa" as f; lemma l : conc.T1 || conc.T2 refines f.T[1] || f.T[N];'
    assert refines_of(tmp_path, text).right == (("f", "T[1]"), ("f", "T[2]"))


def test_sides_are_called_by_their_aliases_whatever_these_are(tmp_path: Path) -> None:
    text = "lemma back : abs.T1 refines conc.T1 relate abs.a == conc.a + 1 inv abs.m >= conc.x;"
    claim = refines_of(tmp_path, text)
    assert claim.relate is not None
    assert [show(claim.relate[0].term), show(claim.inv[0].term)] == ["conc.a == abs.a + 1", "conc.m >= abs.x"]


def test_a_file_refines_itself_under_two_names(tmp_path: Path) -> None:
    text = 'import "conc.sa" as again; lemma l : conc refines again relate a inv conc.k == again.k;'
    claim = refines_of(tmp_path, text)
    assert claim.right[0] == ("again", "T1")
    assert show(claim.inv[0].term) == "conc.k == abs.k"


# ---------------------------------------------------------------- formulas


def test_arrays_and_locals_of_the_sides_are_related_by_their_names(tmp_path: Path) -> None:
    (related,) = refines_of(tmp_path, "lemma l : conc.T1 refines abs.T1 relate f;").relate or ()
    assert show(related.term) == "conc.f[0] == abs.f[0] && conc.f[1] == abs.f[1]"
    (related,) = refines_of(tmp_path, "lemma l : conc.T2 refines abs.T2 relate n;").relate or ()
    assert show(related.term) == "conc.n == abs.n"


def test_enumerations_functions_and_parameters_are_plain(tmp_path: Path) -> None:
    claim = refines_of(tmp_path, "lemma l : conc refines abs inv conc.phase == Early ==> gcd(conc.a, abs.b) == A;")
    assert {v.name for v in claim.inv[0].term.free} == {"conc.phase", "conc.a", "abs.b", "A"}


def test_an_invariant_uses_the_names_of_its_program(tmp_path: Path) -> None:
    text = "lemma l : conc.T1 preserves strong going || larger(N) || phase == Late || seen[0] || a == A;"
    claim = preserves_of(tmp_path, text)
    assert claim.strong
    assert {v.name for v in claim.formula.free} == {"a", "A", "phase", "seen[0]"}


def test_an_invariant_is_over_the_variables_of_the_product(tmp_path: Path) -> None:
    script = script_of(tmp_path, "lemma l : conc preserves m == n && T1.x == T2.x && T1.seen[0];")
    (step,) = script.steps
    assert isinstance(step.claim, Preserves)
    assert {v.name for v in step.claim.formula.free} == {"T1.m", "T2.n", "T1.x", "T2.x", "T1.seen[0]"}
    whole = product(script.programs["conc"].threads)
    assert step.claim.formula.free <= frozenset(variables_of(whole, Kind.LOCAL))


def test_an_invariant_asks_where_its_threads_are(tmp_path: Path) -> None:
    assert show(preserves_of(tmp_path, "lemma l : abs preserves !at T1.CS;").formula) == "!at T1.CS"


# ---------------------------------------------------------------- files


def test_a_file_with_steps_is_a_script_and_any_other_a_program(tmp_path: Path) -> None:
    path = write(tmp_path, IMPORTS + "lemma l : conc refines abs;")
    assert isinstance(load(path), LoadedScript)
    assert isinstance(load(str(tmp_path / "conc.sa")), Loaded)


def test_a_script_is_no_program_neither_for_a_command_nor_for_an_import(tmp_path: Path) -> None:
    path = write(tmp_path, IMPORTS + "lemma l : conc refines abs;", user='import "script.sa" as s; thread T { skip; }')
    for name in (path, str(tmp_path / "user.sa")):
        with pytest.raises(InputError) as wrong:
            load_program(name)
        assert [d.code for d in wrong.value.diagnostics] == ["SA601"]


def test_texts_and_warnings_of_the_programs_come_with_the_script(tmp_path: Path) -> None:
    product_of = "global a, b : int; thread T { atomic { a := a * b; } }"
    loaded = load_script(write(tmp_path, 'import "p.sa" as p; lemma l : p preserves a == a;', p=product_of))
    assert [Path(s.name).name for s in loaded.sources] == ["script.sa", "p.sa"]
    assert [w.code for w in loaded.warnings] == ["SA210"]


def test_the_formatter_lays_out_steps() -> None:
    text = (
        "lemma l:conc.T[1]||conc.T2 refines abs relate a,b by parallel(t1,t2);"
        "theorem t:a preserves strong -x<0{expect proved;}\n"
        "lemma m:conc refines abs by auto{relate a;\nsilent exit;}"
    )
    assert format_source(Source("script.sa", text)) == (
        "lemma l : conc.T[1] || conc.T2 refines abs relate a, b by parallel(t1, t2);\n"
        "theorem t : a preserves strong -x < 0 { expect proved; }\n"
        "lemma m : conc refines abs by auto {\n"
        "  relate a;\n"
        "  silent exit;\n"
        "}\n"
    )


def test_names_of_one_type_share_it(tmp_path: Path) -> None:
    """In quantifiers as in declarations."""
    said = []
    for binders in ("x, y : int, b : bool", "x : int, y : int, b : bool"):
        path = tmp_path / "f.sa"
        path.write_text(
            f"function f(int, int) : int;\naxiom forall {binders} :: b ==> f(x, y) <= f(y, x);\nthread T {{ skip; }}\n"
        )
        said.append([a.formula for a in load_program(str(path)).program.axioms])
    assert said[0] == said[1]
