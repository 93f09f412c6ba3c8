"""Proof scripts: from text to claims about threads of imported programs, and what can be wrong with them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from sa.automata.automaton import Kind, variables_of
from sa.automata.proof import Preserves, Refines, Rule, Script, Step
from sa.base.diagnostic import InputError
from sa.base.source import Source, span_text
from sa.base.verdict import Verdict
from sa.composition.product import product
from sa.language.codes import CATALOGUE
from sa.language.format import format_source
from sa.language.load import Loaded, LoadedScript, load, load_program, load_script
from sa.language.tokens import lexemes
from sa.terms.printer import show

GCD = """\
param A, B : int;
global a : int = A;
global b : int = B;
function gcd(int, int) : int;
axiom forall x : int :: gcd(x, x) == x;
"""
ABSTRACT = (
    GCD
    + """\
global f : bool[2];
thread T1 { local m : int = 0; CS: a := a - b; }
thread T2 { local n : int = 0; b := b - a; }
"""
)
CONCRETE = (
    GCD
    + """\
global f : bool[2];
global k : 0..3;
enum Phase { Early, Late }
global phase : Phase;
const N = 5;
define larger(p) = p > N;
define going = larger(a);
thread T1 { local m : int = 0; local x : int = 0; local seen : bool[2]; x := b; a := a - x; }
thread T2 { local n : int = 0; local x : int = 0; x := a; b := b - x; }
"""
)
FAMILY = "global a : int; global b : int; thread T[i : 1..2] { local m : int; a := i; }"
OTHER = "global g : int; thread U { skip; } thread V { skip; }"
IMPORTS = 'import "abs.sa" as abs;\nimport "conc.sa" as conc;\n'


def write(folder: Path, text: str, **files: str) -> str:
    """Write a script and the programs that it may import; the script's path."""
    named = {"abs": ABSTRACT, "conc": CONCRETE, "family": FAMILY, "other": OTHER, "script": text} | files
    for name, content in named.items():
        (folder / f"{name}.sa").write_text(content, encoding="utf-8")
    return str(folder / "script.sa")


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


def complaints(path: str) -> list[tuple[str, str]]:
    """The codes of what is wrong with a script, with the text that each points to."""
    with pytest.raises(InputError) as wrong:
        load_script(path)
    return [(d.code, span_text(d.span) if d.span else "") for d in wrong.value.diagnostics]


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


# ---------------------------------------------------------------- what can be wrong

#: What follows the imports, the code, and the part of the text that the message points to.
MISTAKES = [
    ("SA002", "lemma l : conc.T1 refines ;", ";"),
    ("SA002", "lemma l : conc.T1 refines abs.T1 silent end;", "end"),
    ("SA006", "lemma l : conc.T1 refines abs.T1 expect yes;", "yes"),
    ("SA011", "lemma l : conc.T1 refines abs.T1 { expect proved; expect proved; }", "expect proved"),
    ("SA101", "lemma l : conc.T1 refines abs.T1 inv conc.z == 0;", "conc.z"),
    ("SA101", "lemma l : conc.T1 refines abs.T1 inv conc.n == 0;", "conc.n"),
    ("SA101", "lemma l : conc.T1 preserves z == 0;", "z"),
    ("SA101", "lemma l : conc.T1 preserves n == 0;", "n"),
    ("SA102", "lemma l : conc preserves a > 0; lemma l : conc preserves b > 0;", "l"),
    ("SA102", 'import "abs.sa" as conc; lemma l : conc preserves a > 0;', "conc"),
    ("SA103", "lemma l : conc preserves x == 0;", "x"),
    ("SA103", "const a = 1; lemma l : conc preserves a == 0;", "a"),
    ("SA103", 'import "other.sa" as o; lemma l : conc refines abs inv o.g == 0;', "o.g"),
    ("SA104", "lemma l : abs.T2 preserves at T1.CS;", "at T1.CS"),
    ("SA201", "lemma l : conc.T1 refines abs.T1 inv conc.a;", "conc.a"),
    ("SA201", "lemma l : conc.T1 preserves a;", "a"),
    ("SA202", "lemma l : conc.T1 refines abs.T1 relate conc.a == abs.f[0];", "conc.a == abs.f[0]"),
    ("SA303", "lemma l : conc.T1 preserves a' == a;", "a'"),
    ("SA304", "lemma l : conc.T1 refines abs.T1 rely m' == m;", "m"),
    ("SA312", "lemma l : conc preserves (forall i : int :: i == a);", "(forall i : int :: i == a)"),
    ("SA319", "lemma l : conc preserves f[2];", "f[2]"),
    ("SA408", "lemma l : conc refines abs relate conc.m == abs.n;", "conc.m == abs.n"),
    ("SA452", "lemma l : conc refines abs relate a, k;", "k"),
    ("SA602", "thread T { skip; } lemma l : conc refines abs;", "thread T { skip; }"),
    ("SA602", "global z : int; lemma l : conc refines abs;", "global z : int;"),
    ("SA603", "const M = 1;", 'import "abs.sa" as abs;'),
    ("SA604", "lemma l : cnc.T1 refines abs.T1;", "cnc.T1"),
    ("SA605", "lemma l : conc.T3 refines abs.T1;", "conc.T3"),
    ("SA605", "lemma l : conc.T[1] refines abs.T1;", "conc.T[1]"),
    ("SA606", "lemma l : conc.T1 || abs.T2 preserves a > 0;", "abs.T2"),
    ("SA607", "lemma l : conc.T1 || conc preserves a > 0;", "conc"),
    ("SA608", "lemma l : conc refines abs.T1;", "conc refines abs.T1"),
    ("SA609", "lemma l : conc.T1 refines conc.T2;", "conc.T2"),
    ("SA610", 'import "other.sa" as o; lemma l : conc refines o;', "conc refines o"),
    ("SA611", "lemma l : conc preserves a > 0 by chain(other);", "other"),
    ("SA612", "lemma l : conc preserves a > 0 by chain(l);", "l"),
    ("SA612", "lemma l : conc preserves a > 0 by chain(m); lemma m : conc preserves a > 0;", "m"),
    ("SA613", "lemma l : conc preserves a > 0 by paralel;", "paralel"),
    ("SA614", "lemma l : conc preserves a > 0 relate a;", "relate a"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text", "place"), MISTAKES, ids=[f"{c} {t[:40]}" for c, t, _ in MISTAKES])
def test_a_mistake_is_reported_with_its_code_where_it_is(tmp_path: Path, code: str, text: str, place: str) -> None:
    assert (code, place) in complaints(write(tmp_path, IMPORTS + text))


def test_every_code_of_proof_scripts_has_an_example() -> None:
    assert {c for c, _, _ in MISTAKES if c >= "SA600"} | {"SA601"} == {c for c in CATALOGUE if "SA600" < c < "SA700"}


def test_all_mistakes_of_a_script_are_reported_at_once(tmp_path: Path) -> None:
    text = """\
lemma l : conc.T9 refines abs.T1 by magic(nothing);
lemma m : conc.T1 refines abs.T1 { relate nobody; inv conc.a; }
global z : int;
"""
    assert sorted(c for c, _ in complaints(write(tmp_path, IMPORTS + text))) == [
        "SA201", "SA452", "SA602", "SA605", "SA611", "SA613",
    ]  # fmt: skip


def test_reading_goes_on_behind_a_step_with_a_syntax_error(tmp_path: Path) -> None:
    text = "lemma l : conc.T1 refines ;\ntheorem t : conc preserves ;\n"
    assert [c for c, _ in complaints(write(tmp_path, IMPORTS + text))] == ["SA002", "SA002"]


def test_mistyped_names_are_answered_with_the_nearest_one(tmp_path: Path) -> None:
    text = """\
lemma first : cnc preserves a > 0;
lemma second : conc preserves a > 0 by paralel(frst);
lemma third : conc.Worker preserves a > 0;
"""
    with pytest.raises(InputError) as wrong:
        load_script(write(tmp_path, IMPORTS + text))
    assert [d.hint for d in wrong.value.diagnostics] == [
        "did you mean `conc`?",
        "did you mean `parallel`?",
        "did you mean `first`?",
        "its threads are: `T1`, `T2`",
    ]


def test_all_imports_that_cannot_be_read_are_reported_at_once(tmp_path: Path) -> None:
    text = 'import "no.sa" as no; import "none.sa" as none; lemma l : no refines none;'
    assert complaints(write(tmp_path, text)) == [
        ("SA013", 'import "no.sa" as no;'),
        ("SA013", 'import "none.sa" as none;'),
    ]


def test_a_script_that_imports_itself_is_an_error(tmp_path: Path) -> None:
    assert complaints(write(tmp_path, 'import "script.sa" as me; lemma l : me preserves true;'))[0][0] == "SA018"


def test_functions_of_different_types_are_not_one(tmp_path: Path) -> None:
    clash = "function gcd(int) : int; thread T { skip; }"
    path = write(tmp_path, IMPORTS + 'import "clash.sa" as c; lemma l : conc refines abs;', clash=clash)
    assert {c for c, _ in complaints(path)} == {"SA102"}


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


@pytest.mark.parametrize("seed", range(60))
def test_a_script_with_tokens_lost_or_moved_is_answered(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    text = """\
lemma t : conc.T1 || conc.T2 refines abs relate a, m pre conc.k == 0 { inv conc.x >= abs.b; rely unchanged a; }
theorem u : conc preserves strong gcd(a, b) == A && T1.x == m by parallel(t) { expect proved; }
"""
    words = [piece.text for piece in lexemes(Source("script.sa", IMPORTS + text))]
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(words))
        words[place : place + 1] = random.choice([[], [random.choice(words)], [words[place], random.choice(words)]])
    path = write(tmp_path, " ".join(words))
    assert codes_of(path) <= set(CATALOGUE)


def codes_of(path: str) -> set[str]:
    """The codes of what is wrong with a file, if anything is."""
    try:
        load(path)
    except InputError as wrong:
        return {d.code for d in wrong.diagnostics}
    return set()


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
