"""What can be wrong with proof scripts: the smallest example of each mistake, and that nothing goes worse."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from sa.base.diagnostic import InputError
from sa.base.source import Source, span_text
from sa.language.codes import CATALOGUE
from sa.language.load import load, load_script
from sa.language.tokens import lexemes
from tests.language.scripts import IMPORTS, write


def complaints(path: str) -> list[tuple[str, str]]:
    """The codes of what is wrong with a script, with the text that each points to."""
    with pytest.raises(InputError) as wrong:
        load_script(path)
    return [(d.code, span_text(d.span) if d.span else "") for d in wrong.value.diagnostics]


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
    ("SA312", "lemma l : conc preserves (forall i : int :: i == a);", "i : int"),
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


def test_deep_nesting_in_a_step_is_answered(tmp_path: Path) -> None:
    for formula in ("!" * 5000 + "true", "(" * 5000 + "true" + ")" * 5000):
        assert codes_of(write(tmp_path, f"{IMPORTS} lemma l : conc preserves {formula};")) <= {"SA012"}
        assert codes_of(write(tmp_path, f"{IMPORTS} lemma l : conc refines abs inv {formula};")) <= {"SA012"}
    assert codes_of(write(tmp_path, f"{IMPORTS} lemma l : conc preserves {'!' * 5000}true;")) == {"SA012"}
