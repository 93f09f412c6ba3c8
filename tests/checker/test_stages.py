"""Steps that are compiled for one place are another's only where all that goes into them is the same."""

from __future__ import annotations

from itertools import product

import pytest

from sa.automata.automaton import Automaton
from sa.base.source import Source
from sa.certificates.pairs import SideStates
from sa.checker.side import side
from sa.checker.stages import Stage, stage
from sa.language.elaborate import program
from sa.terms.term import Var

#: The values that are tried for every variable.
VALUES = (0, 1, 2)


def _thread(body: str) -> Automaton:
    return program(Source("a.sa", f"global x, y : int; thread T {{ {body} }}")).threads[0]


def _stage(automaton: Automaton, kept: tuple[frozenset[Var], ...]) -> Stage:
    return stage(side(automaton), SideStates(kept, ()))


def _steps(automaton: Automaton, kept: tuple[frozenset[Var], ...]) -> list[list[object]]:
    """The steps from every state, by one stage; they are those of a stage that has compiled nothing yet."""
    used, found = _stage(automaton, kept), list[list[object]]()
    for place, known in enumerate(used.known):
        for row in product(VALUES, repeat=len(known)):
            found.append(list(used.steps((place, row))))
            assert found[-1] == list(_stage(automaton, kept).steps((place, row)))
    return found


@pytest.mark.parametrize(
    "body",
    [
        # The guards differ, nothing else does.
        "await x == 0; await x == 1; await x == y;",
        # The updates differ.
        "x := 1; x := 2; x := y;",
        # What is shown differs; only the action does.
        "@a(x) skip; @a(y) skip; @b(y) skip;",
        # The values to choose from differ.
        "local k : 0..1; local m : 0..2; havoc k; x := k; havoc m; x := m;",
    ],
)
def test_places_whose_steps_differ_have_their_own(body: str) -> None:
    automaton = _thread(body)
    everything = frozenset(v.var for v in automaton.variables)
    found = _steps(automaton, (everything,) * len(automaton.locations))
    assert any(found)


def test_the_same_step_reads_a_row_as_its_place_lays_it_out() -> None:
    automaton = _thread("await y == 1; await y == 1; await y == 1;")
    x, y = (v.var for v in automaton.variables)
    # x is known at the first place only.
    kept = (frozenset((x, y)), *(frozenset((y,)) for _ in automaton.locations[1:]))
    found = _steps(automaton, kept)
    assert sum(map(len, found)) > len(VALUES)
