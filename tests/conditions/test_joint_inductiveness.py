"""Invariants written at locations may not cut runs of threads that run together."""

from __future__ import annotations

import pytest

from sa.automata.program import Program
from sa.base.diagnostic import InputError
from sa.base.limits import Limits
from sa.base.source import Source
from sa.conditions.composition import product
from sa.conditions.environment import closed
from sa.conditions.inductive import NotInductive, not_inductive
from sa.conditions.joint_inductiveness import no_start, not_inductive_together, uncut
from sa.language.elaborate.program import program
from sa.smt.session import Session, Undecided

#: A thread with an invariant at each of its two locations, and a step between them.
AUTOMATON = "automaton {0} {{ location q0 initial {{ {1} }} location q1 {{ {2} }} edge q0 -> q1 {{ {3} }} }}\n"


def _program(*threads: tuple[str, str, str, str], shared: str = "global x, y : int = 0;\n") -> Program:
    return program(Source("a.sa", shared + "".join(AUTOMATON.format(*t) for t in threads)))


def _found(asked: Program) -> list[NotInductive]:
    return list(not_inductive_together(Session(Limits()), asked.threads))


def test_invariants_that_all_steps_keep_are_inductive() -> None:
    assert not _found(
        _program(("A", "inv x == 0;", "inv x == 1;", "x := 1;"), ("B", "inv y == 0;", "inv y == 1;", "y := 1;"))
    )


def test_an_invariant_that_initial_states_violate_is_found() -> None:
    (found,) = _found(_program(("A", "inv x == 7;", "", "x := x + 1;")))
    assert found.initially


def test_an_invariant_that_the_threads_own_step_breaks_is_found() -> None:
    (found,) = _found(_program(("A", "", "inv x == 2;", "x := 1;")))
    assert (found.location.name, found.initially) == ("A.q1", False)


def test_an_invariant_that_another_threads_step_breaks_is_found() -> None:
    (found,) = _found(_program(("A", "inv x == 0;", "", "y := 1;"), ("B", "", "", "x := 5;")))
    assert found.location.name == "A.q0"
    assert found.edge is not None and found.edge.origin.text == "edge q0 -> q1 { x := 5; }"


def test_what_the_moving_thread_knows_is_used() -> None:
    """B sets x to y, which its invariant says is 0."""
    assert not _found(
        _program(("A", "inv x == 0;", "inv x == 0;", "skip;"), ("B", "inv y == 0;", "inv y == 0;", "x := y;"))
    )


def test_what_third_threads_know_is_used() -> None:
    """Wherever C is, y is 0; neither A nor B says so."""
    threads = (("A", "inv x == 0;", "", "skip;"), ("B", "", "", "x := y;"))
    (found, *_) = _found(_program(*threads))
    assert found.location.name == "A.q0"
    assert not _found(_program(*threads, ("C", "inv y == 0;", "inv y == 0;", "skip;")))


def test_locals_of_two_threads_with_one_name_are_two_variables() -> None:
    """B's t says nothing of A's."""
    local = "automaton {0} {{ local t : int = 0; location q0 initial {{ inv t == 0; }} edge q0 -> q0 {{ {1} }} }}\n"
    text = "global x : int = 0;\n" + local.format("A", "skip;") + local.format("B", "x := t;")
    assert not _found(program(Source("a.sa", text)))


def test_locations_that_no_edge_leads_to_do_not_matter() -> None:
    unreached = "automaton A { location q0 initial; location q9 { inv x == 3; } edge q0 -> q0 { skip; } }"
    other = AUTOMATON.format("B", "", "", "x := 1;")
    assert not _found(program(Source("a.sa", f"global x : int = 0;\n{unreached}\n{other}")))


@pytest.mark.parametrize("inv", ["x == 0", "x <= y", "x >= y", "x + y <= 1", "x != 2", "y == 0 || x == 0"])
@pytest.mark.parametrize("step", ["x := 1;", "x := y;", "x := x + y;", "x, y := y, x;", "y := 1 - x;"])
def test_the_same_is_found_as_on_the_product(inv: str, step: str) -> None:
    asked = _program(
        ("A", f"inv {inv};", "", step), ("B", "", "inv y <= 1;", "y := 1;"), ("C", "", f"inv {inv};", step)
    )
    on_product = list(not_inductive(Session(Limits()), closed(product(asked.threads))))
    assert bool(_found(asked)) == bool(on_product)


def test_what_is_wrong_is_an_input_error() -> None:
    asked = _program(("A", "inv x == 0;", "", "y := 1;"), ("B", "", "", "x := 5;"))
    with pytest.raises(InputError) as raised:
        uncut(asked.threads, asked.axioms, Limits())
    (said,) = raised.value.diagnostics
    assert (said.code, said.message) == ("SA506", "this step can lead to `A.q0` where `x == 0` is false")


def test_what_the_solver_cannot_tell_is_neither_an_error_nor_known(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = _program(("A", "", "inv x == 2;", "x := 1;"))
    monkeypatch.setattr(Session, "check", lambda *_: Undecided("it was tired"))
    doubt = uncut(asked.threads, asked.axioms, Limits())
    assert doubt is not None and "it is not known that `x == 2` holds" in doubt


def test_initial_conditions_that_exclude_each_other_are_warned_of() -> None:
    start = "automaton {0} {{ init {1}; location q0 initial; edge q0 -> q0 {{ skip; }} }}\n"
    one, same, other = start.format("A", "x == 1"), start.format("B", "x <= 1"), start.format("B", "x == 2")
    assert not no_start(program(Source("a.sa", "global x : int;\n" + one + same)), Limits())
    (said,) = no_start(program(Source("a.sa", "global x : int;\n" + one + other)), Limits())
    assert said.code == "SA502"
