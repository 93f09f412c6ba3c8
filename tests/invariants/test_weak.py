"""Invariants of one automaton in its environment, strengthened where they are not inductive by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.automata.automaton import Automaton
from sa.base.limits import Limits
from sa.checker.obligation import discharge
from sa.invariants.houdini import candidates
from sa.invariants.weak import Held, inductive, invariant
from sa.language.load import load_program
from sa.rules.strong_and_weak_invariants import obligations
from sa.smt.session import Session
from sa.terms import build
from sa.terms.term import Term

X, Y = build.variable("x"), build.variable("y")


def thread(folder: Path, rely: str, body: str) -> Automaton:
    """A thread over x and y in a declared environment."""
    text = f"global x, y : int = 0;\nthread T {{ rely {rely};\n{body} }}\n"
    (folder / "p.sa").write_text(text)
    (found,) = load_program(str(folder / "p.sa")).program.threads
    return found


def everywhere(automaton: Automaton, formula: Term) -> dict[str, Term]:
    """The formula at all locations."""
    return {q.name: formula for q in automaton.locations}


@pytest.mark.parametrize(
    ("rely", "body", "weak", "strong"),
    [
        ("unchanged x, y", "x := y;", True, True),
        # The environment may keep x == 0 and change y: then the step breaks it.
        ("x' == 0 || x' == x", "x := y;", False, False),
        # It may change x itself, which a weak invariant does not count.
        ("unchanged y", "x := y;", True, False),
        ("unchanged x, y", "while (y < 7) { y := y + 1; } if (y < 7) { x := 1; }", True, True),
    ],
)
def test_what_the_environment_leaves_is_found(rely: str, body: str, weak: bool, strong: bool, tmp_path: Path) -> None:
    """x == 0 is inductive nowhere: y == 0, or what was tested, has to be found."""
    automaton = thread(tmp_path, rely, body)
    wanted = everywhere(automaton, build.eq(X, build.ZERO))
    for is_strong, expected in ((False, weak), (True, strong)):
        session = Session(Limits())
        found = invariant(session, automaton, wanted, is_strong)
        assert isinstance(found, Held) is expected
        if isinstance(found, Held):
            asked = obligations(automaton, found.places, wanted, is_strong)
            assert all(discharge(session, frozenset(), o) is None for o in asked)


def test_candidates_that_no_step_breaks_are_left(tmp_path: Path) -> None:
    """The largest conjunction, location by location."""
    automaton = thread(tmp_path, "unchanged x, y", "x := y; y := 1;")
    first, second = (build.eq(v, build.ZERO) for v in (X, Y))
    offered = dict.fromkeys((q.name for q in automaton.locations), (first, second))
    found = inductive(Session(Limits()), automaton, offered, {})
    left = {name: frozenset(build.conjuncts(formula)) for name, formula in found.items()}
    assert list(left.values()) == [{first, second}, {first, second}, {first}, {first}]


def test_nothing_is_found_where_the_wanted_formula_is_false(tmp_path: Path) -> None:
    automaton = thread(tmp_path, "unchanged x, y", "x := 1;")
    wanted = everywhere(automaton, build.eq(X, build.ZERO))
    session = Session(Limits())
    offered = dict.fromkeys(wanted, candidates(automaton, wanted))
    assert not all(session.implied(wanted[q], (f,)) for q, f in inductive(session, automaton, offered, {}).items())
