"""Conditions that are said to hold at a location hold there in every run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

from sa.automata.automaton import Automaton, Edge, Kind, Location, Origin, Variable
from sa.frontends.flow.graph import Range
from sa.frontends.flow.standing import standing
from sa.terms import build
from sa.terms.evaluate import evaluate, holds
from sa.terms.term import Term, Var

X, Y, SHARED = build.variable("x"), build.variable("y"), build.variable("shared")
LAST = 4
RANGES = {v: Range(0, LAST) for v in (X, Y, SHARED)}
NOWHERE = Origin(None)


def automaton(edges: list[Edge]) -> Automaton:
    names = sorted({"a", *(e.source for e in edges), *(e.target for e in edges)})
    own = tuple(Variable(v, Kind.LOCAL, 0, LAST) for v in (X, Y))
    places = tuple(Location(n, build.TRUE, None, NOWHERE) for n in names)
    return Automaton("T", own, places, "a", build.TRUE, tuple(edges), NOWHERE)


def edge(source: str, target: str, guard: Term, *updates: tuple[Var, Term]) -> Edge:
    return Edge(source, target, None, guard, updates, (), NOWHERE)


def one_more(var: Var) -> Term:
    """The next number, and 0 behind the last one."""
    return build.ite(build.lt(var, build.integer(LAST)), build.add(var, build.ONE), build.ZERO)


def states(made: Automaton) -> Iterator[tuple[str, dict[Var, int]]]:
    """The states that runs reach from every first state, where others set the shared variable at any time."""
    every = range(LAST + 1)
    pending = {(made.initial, x, y) for x, y in product(every, every)}
    seen = set(pending)
    while pending:
        place, x, y = pending.pop()
        for shared in every:
            here = {X: x, Y: y, SHARED: shared}
            yield place, here
            for step in (e for e in made.edges if e.source == place and holds(e.guard, here)):
                after = dict(here) | {v: int(evaluate(t, here)) for v, t in step.updates}
                found = step.target, after[X], after[Y]
                if found not in seen:
                    seen.add(found)
                    pending.add(found)


def random_edge(maker: random.Random) -> Edge:
    def value() -> Term:
        var = maker.choice((X, Y, SHARED))
        return maker.choice((var, one_more(var), build.integer(maker.randint(0, LAST))))

    def test() -> Term:
        compare = maker.choice((build.le, build.lt, build.eq, build.ne))
        return compare(value(), value())

    targets = maker.sample((X, Y), maker.randint(0, 2))
    given = [(v, value()) for v in targets]
    tests = [test() for _ in range(maker.randint(0, 2))]
    # Tests of loops speak of the value that the step gives.
    tests += [build.lt(t, maker.choice((X, Y))) for _, t in given if maker.random() < 0.5]
    return edge(maker.choice("abc"), maker.choice("bcd"), build.land(*tests), *given)


def test_what_stands_holds_in_every_state_of_600_random_threads() -> None:
    found = 0
    for seed in range(600):
        maker = random.Random(seed)
        made = automaton([random_edge(maker) for _ in range(maker.randint(2, 6))])
        at = standing(made, RANGES)
        reached = set[str]()
        for place, state in states(made):
            reached.add(place)
            assert all(holds(c, state) for c in at[place]), (seed, place, state)
        found += sum(len(at[place]) for place in reached)
    assert found >= 100


def test_the_test_of_a_turned_loop_stands_in_its_body() -> None:
    """`if (0 < y) { x = 0; do … while (++x < y); }`, where `x` wraps around."""
    below = build.lt(X, Y)
    made = automaton(
        [
            edge("a", "body", build.lt(build.ZERO, Y), (X, build.ZERO)),
            edge("body", "behind", build.TRUE),
            edge("behind", "body", build.lt(one_more(X), Y), (X, one_more(X))),
        ]
    )
    at = standing(made, RANGES)
    assert below in at["body"] and below in at["behind"] and at["a"] == ()


def test_what_is_said_of_a_shared_variable_does_not_stand() -> None:
    made = automaton([edge("a", "b", build.lt(X, SHARED))])
    assert standing(made, RANGES)["b"] == ()
