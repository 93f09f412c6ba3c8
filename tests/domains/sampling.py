"""Random values of a domain over a few variables, and the states that they hold, one by one.

All constants are in -2..2 and states in -3..3, so the outer states stand for everything beyond: two sets that agree on
`STATES` are equal.
"""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TypeAlias, TypeVar

import pytest

from sa.domains.boxes import Boxes
from sa.domains.frame import Frame, Precision
from sa.domains.lattice import Domain
from sa.terms import build
from sa.terms.sort import BOOL, EnumSort
from sa.terms.term import Term, Var
from tests.domains.intervals import Intervals

V = TypeVar("V")

HUE = EnumSort("Hue", ("Red", "Green", "Blue"))
P = build.variable("p", BOOL)
C = build.variable("c", HUE)
X, Y = (build.variable(n) for n in "xy")
VARIABLES: tuple[Var, ...] = (P, X, C, Y)
FRAME = Frame(VARIABLES)
REACH = 3

State: TypeAlias = tuple[int, ...]
STATES: tuple[State, ...] = tuple(product((0, 1), range(-REACH, REACH + 1), range(3), range(-REACH, REACH + 1)))

#: How many random cases a law is tried on: some while one works, all in the long run.
CASES = pytest.mark.parametrize("cases", [50, pytest.param(1000, marks=pytest.mark.fuzz)])
DOMAINS = pytest.mark.parametrize("name", ["boxes", "intervals"])


USUAL = Precision()


def domain_called(name: str, precision: Precision = USUAL) -> Domain[object]:
    """A fresh domain over VARIABLES."""
    frame = Frame(VARIABLES, precision)
    return Boxes(frame) if name == "boxes" else Intervals(frame)  # type: ignore[return-value]


def valuation(state: State) -> dict[Var, int]:
    """A state as the terms' evaluator wants it."""
    return dict(zip(VARIABLES, state, strict=True))


def states(domain: Domain[V], value: V) -> frozenset[State]:
    """The states in a value."""
    return frozenset(s for s in STATES if domain.contains(value, valuation(s)))


def random_bound(rng: Random) -> Term:
    """A bound on one variable."""
    match rng.randrange(5):
        case 0:
            return build.eq(P, build.boolean(rng.random() < 0.5))
        case 1:
            chosen = build.eq(C, build.constant(rng.randrange(3), HUE))
            return chosen if rng.random() < 0.5 else build.lnot(chosen)
        case _:
            var, limit = rng.choice((X, Y)), build.integer(rng.randint(-2, 1))
            return build.le(var, limit) if rng.random() < 0.5 else build.lt(limit, var)


def random_set(rng: Random) -> Term:
    """A Boolean combination of bounds."""
    boxes = [build.land(*(random_bound(rng) for _ in range(rng.randint(1, 4)))) for _ in range(rng.randint(1, 4))]
    formula = build.lor(*boxes)
    return formula if rng.random() < 0.8 else build.lnot(formula)


def random_value(domain: Domain[V], rng: Random) -> V:
    """A value of the domain."""
    return domain.of_formula(random_set(rng))
