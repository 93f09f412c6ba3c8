"""Families of any number of threads: what the text means, and who refuses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.automata.automaton import Kind
from sa.automata.family import copies, crowd, different, family_fault, of_copies, of_symbolic
from sa.base.diagnostic import InputError
from sa.frontends.load import load_program, load_script
from sa.terms import build
from sa.terms.printer import show
from tests.language.texts import arrows, program_of, without_origins

LOCK = "global l : int = 0; thread T[i : *] { await l == 0 { l := i; } CS: skip; l := 0; } "
MUTEX = "invariant mutex : forall i, j : T :: i != j ==> !(at T[i].CS && at T[j].CS);"


def test_the_identity_is_a_positive_local_that_no_step_changes() -> None:
    (family,) = program_of(LOCK).families
    assert family_fault(family) is None
    assert [v.kind for v in family.thread.variables if v.var is family.identity] == [Kind.LOCAL]
    assert build.le(build.ONE, family.identity) in build.conjuncts(family.thread.init)
    assert "q0 -> CS when l == 0 { l := i }" in arrows(family.thread)


def test_threads_of_the_program_are_those_that_are_no_copies() -> None:
    made = program_of(LOCK + "thread U { skip; }")
    assert [t.name for t in made.threads] == ["U"]
    assert [f.thread.name for f in made.families] == ["T"]


def test_copies_are_the_members_of_a_family_of_so_many() -> None:
    text = "global l : int = 0; thread T[i : {}] {{ local r : int = i; await l == 0 {{ l := i + r; }} l := 0; }}"
    made = copies(program_of(text.format("*")).families, (3,))
    wanted = program_of(text.format("1..3")).threads
    assert [without_origins(t) for t in made] == [without_origins(t) for t in wanted]


def test_copies_of_several_families_have_different_identities() -> None:
    families = program_of("thread T[*] { skip; } thread U[*] { skip; }").families
    assert [t.name for t in copies(families, (2, 3))] == ["T[1]", "T[2]", "U[3]", "U[4]", "U[5]"]


def test_a_star_alone_calls_the_identity_self() -> None:
    (family,) = program_of("global x : int; thread T[*] { x := self; }").families
    assert family.identity is build.variable("self")


def test_a_lock_holds_the_identity_and_other_threads_have_negative_numbers() -> None:
    made = program_of("global l : int = 0; thread A { lock(l); } thread T[i : *] { lock(l); } thread B { lock(l); }")
    automata = (*made.threads, *(f.thread for f in made.families))
    assert [arrows(t)[0].partition("{")[2] for t in automata] == [" l := -1 }", " l := -2 }", " l := i }"]


def test_a_claim_is_about_all_ways_in_which_copies_may_be_equal() -> None:
    made = program_of(LOCK + MUTEX)
    (invariant,) = made.invariants
    said = of_symbolic(invariant.formula, invariant.copies, made.families)
    assert [show(f) for f in said] == ["T[#1].i == T[#2].i || !at T[#1].CS || !at T[#2].CS"]


def test_a_claim_about_copies_is_meant_for_any_different_ones() -> None:
    made = program_of(LOCK + MUTEX)
    (invariant,) = made.invariants
    (said,) = of_symbolic(invariant.formula, invariant.copies, made.families)
    assert of_copies(said, made.families, (1,)) is build.TRUE
    three = program_of(
        LOCK.replace("*", "1..3")
        + "invariant m : "
        + " && ".join(f"!(at T[{i}].CS && at T[{j}].CS)" for i in (1, 2, 3) for j in (1, 2, 3) if i != j)
        + ";"
    )
    assert of_copies(said, made.families, (3,)) is three.invariants[0].formula


def test_of_symbolic_copies_no_more_is_known_than_that_they_are_positive_and_different() -> None:
    families = program_of(LOCK).families
    assert [t.name for t in crowd(families, (2,))] == ["T[#1]", "T[#2]"]
    first, second = build.variable("T[#1].i"), build.variable("T[#2].i")
    known = (build.le(build.ONE, first), build.le(build.ONE, second), build.ne(second, first))
    assert different(families, (2,)) == known


def test_whoever_looks_at_threads_one_by_one_gets_no_program(tmp_path: Path) -> None:
    path = tmp_path / "many.sa"
    path.write_text(LOCK, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        load_program(str(path))
    assert [d.code for d in refused.value.diagnostics] == ["SA321"]
    assert load_program(str(path), families=True).program.families


def test_a_script_refuses_programs_with_families(tmp_path: Path) -> None:
    (tmp_path / "many.sa").write_text(LOCK, encoding="utf-8")
    script = tmp_path / "script.sa"
    script.write_text('import "many.sa" as m; lemma l : m.T preserves true;', encoding="utf-8")
    with pytest.raises(InputError):
        load_script(str(script))
