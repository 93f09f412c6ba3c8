"""Why an abstract edge is no answer, in words and values."""

from __future__ import annotations

from sa.automata.automaton import Automaton, Edge, Kind, Label, Location, Origin, Variable
from sa.automata.trace import Configuration
from sa.certificates.play import Obstacle, Refusal
from sa.report.explain import Why, Wording, refused
from sa.terms import build
from sa.terms.sort import BOOL, EnumSort

COLOUR = EnumSort("Colour", ("Red", "Green"))
X = build.variable("abs.x")
Y = build.variable("abs.y")
C = build.variable("choice")
FLAG = build.variable("abs.flag", BOOL)
HUE = build.variable("abs.hue", COLOUR)
HERE = Configuration("q0", {X: 3, Y: 4, FLAG: False, HUE: 1})


def why(obstacle: Obstacle, edge: Edge, inv: build.Term = build.TRUE, asked: str | None = None) -> Why:
    """The explanation for one edge into a location with this invariant."""
    location = Location("q1", inv, build.TRUE, Origin(None))
    automaton = Automaton("T", (), (location,), "q1", build.TRUE, (edge,), Origin(None))
    return refused(Refusal(edge, HERE, obstacle), automaton, asked, Wording(True, {}, {}))


def edge(guard: build.Term = build.TRUE, label: Label | None = None, x: build.Term = X, choose: bool = False) -> Edge:
    """`q0 -> q1 @label when guard { x := ...; }`."""
    choices = (Variable(C, Kind.LOCAL),) if choose else ()
    return Edge("q0", "q1", label, guard, ((X, x),), choices, Origin(None))


def test_only_the_false_conjuncts_of_a_guard_are_shown() -> None:
    """With the values that make them false."""
    found = why(Obstacle.GUARD, edge(build.land(build.lt(X, Y), build.lt(Y, X))))
    assert found == Why(None, "its guard is false: y < x", ("x = 3", "y = 4"), "q0 → q1")


def test_values_are_written_as_the_language_writes_them() -> None:
    """Truth values and constructors."""
    red = build.eq(HUE, build.constant(0, COLOUR))
    found = why(Obstacle.GUARD, edge(build.land(FLAG, red)))
    assert found.text.endswith("&& flag")
    assert "Red" in found.text
    assert found.values == ("flag = false", "hue = Green")


def test_a_guard_over_open_choices_is_shown_whole() -> None:
    """Which value was tried cannot be said."""
    found = why(Obstacle.GUARD, edge(build.land(build.lt(X, Y), build.lt(C, X)), choose=True))
    assert "x < y" in found.text
    assert "choice < x" in found.text


def test_another_action() -> None:
    """A silent step answers no action, an action no silent step."""
    assert why(Obstacle.LABEL, edge(), asked="exit").text == "its action is silent, not exit"
    assert why(Obstacle.LABEL, edge(label=Label("exit"))).text == "its action is exit, not silent"


def test_another_value() -> None:
    """Both values, and where the abstract one comes from."""
    found = why(Obstacle.VALUE, edge(label=Label("print", (build.add(X, Y),))), asked="print(9)")
    assert found == Why(None, "it shows print(7), not print(9)", ("x = 3", "y = 4"), "q0 → q1")


def test_a_broken_invariant_is_evaluated_after_the_step() -> None:
    """x becomes 5."""
    found = why(Obstacle.INVARIANT, edge(x=build.add(X, build.integer(2))), build.lt(X, Y))
    assert found == Why(None, "it would break the invariant of q1: x < y", ("x = 5", "y = 4"), "q0 → q1")


def test_an_invariant_after_an_open_choice_is_shown_without_values() -> None:
    """x becomes anything."""
    found = why(Obstacle.INVARIANT, edge(x=C, choose=True), build.lt(X, Y))
    assert found == Why(None, "it would break the invariant of q1: x < y", (), "q0 → q1")
