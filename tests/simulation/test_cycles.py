"""Silent cycles in closed form: those that are looked for are few, however many there are."""

from __future__ import annotations

from sa.automata.automaton import Automaton, Edge, Kind, Location, Origin, Variable
from sa.game.loop_acceleration import MOST_WAYS, cycles_of
from sa.terms import build
from sa.terms.term import Term

X = build.variable("x")
NOWHERE = Origin(None)


def automaton(size: int, value: Term) -> Automaton:
    """Locations with a step from each to each."""
    names = [f"q{number}" for number in range(size)]
    places = tuple(Location(name, build.TRUE, None, NOWHERE) for name in names)
    steps = (Edge(one, two, None, build.TRUE, ((X, value),), (), NOWHERE) for one in names for two in names)
    return Automaton("T", (Variable(X, Kind.LOCAL),), places, "q0", build.TRUE, tuple(steps), NOWHERE)


def test_a_turn_that_adds_one_is_a_cycle() -> None:
    (found,) = cycles_of(automaton(1, build.add(X, build.ONE)))["q0"]
    assert len(found.edges) == 1


def test_of_many_ways_few_are_gone() -> None:
    """There are more cycles than anyone could look at, and none has a closed form."""
    size = 24
    assert size**6 > 1_000 * MOST_WAYS
    assert cycles_of(automaton(size, build.mul(X, X))) == {}
