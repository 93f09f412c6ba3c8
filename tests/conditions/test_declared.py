"""Declared environments against what the other threads do (Definition 2)."""

from __future__ import annotations

from sa.base.diagnostic import Diagnostic, Severity
from sa.base.limits import Limits
from sa.conditions.declared import environment_warnings
from tests.language.texts import program_of


def warnings(text: str) -> list[Diagnostic]:
    """What is said about a program's environments."""
    return list(environment_warnings(program_of(text), Limits()))


def test_a_step_that_a_rely_forbids_is_shown_with_the_rely_and_values() -> None:
    (found,) = warnings(
        "global x : int; thread A { x := x + 2; rely unchanged x; } thread B { rely x' <= x + 1; skip; }"
    )
    assert (found.code, found.severity) == ("SA507", Severity.WARNING)
    assert found.message == "this step of `A` violates the environment that `B` relies on: `x' <= x + 1`"
    assert found.hint is not None
    assert "x: 0 → 2" in found.hint
    assert found.labels


def test_threads_that_keep_to_each_others_relies_are_not_warned_of() -> None:
    assert warnings("global x : int; thread A { x := x + 1; rely unchanged x; } thread B { rely x' >= x; skip; }") == []


def test_an_invariant_of_the_step_s_location_excludes_states() -> None:
    text = """global x : int;
        automaton A {{
          location a initial {{ {0} env x' == x; }}
          location b {{ env x' == x; }}
          edge a -> b {{ x := 5; }}
        }}
        thread B {{ rely x' >= x; skip; }}"""
    assert [d.code for d in warnings(text.format(""))] == ["SA507"]
    assert warnings(text.format("inv x <= 5;")) == []


def test_a_step_that_breaks_the_invariant_of_the_others_location_is_shown() -> None:
    text = """global x : int;
        automaton A { location a initial { inv x == 0; env x' >= 0; } }
        thread B { rely unchanged x; x := 1; }"""
    (found,) = (d for d in warnings(text) if d.code == "SA507")
    assert "the invariant of `a` in `A`: `x == 0`" in found.message


def test_an_environment_that_must_move_is_noted_and_doing_nothing_is_added() -> None:
    (found,) = warnings("global x : int; thread A { rely x' > x; skip; } thread B { rely unchanged x; skip; }")
    assert (found.code, found.severity) == ("SA508", Severity.NOTE)


def test_threads_without_a_declared_environment_are_not_spoken_of() -> None:
    assert warnings("global x : int; thread A { x := 1; } thread B { x := 2; }") == []
