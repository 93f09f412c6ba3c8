"""Random terms and states over small ranges, deterministic from a `Random`."""

from __future__ import annotations

from random import Random

from sa.terms import build
from sa.terms.sort import BOOL, EnumSort, Value
from sa.terms.term import Term, Var

COLOUR = EnumSort("Colour", ("Red", "Green", "Blue"))
INTS = tuple(build.variable(n) for n in ("x", "y", "z"))
BOOLS = tuple(build.variable(n, BOOL) for n in ("p", "q"))
COLOURS = tuple(build.variable(n, COLOUR) for n in ("c", "d"))
VARIABLES: tuple[Var, ...] = (*INTS, *BOOLS, *COLOURS)


def random_state(rng: Random, low: int = -4, high: int = 4) -> dict[Var, Value]:
    """A value for every variable."""
    values: dict[Var, Value] = {v: rng.randint(low, high) for v in INTS}
    values.update((v, rng.random() < 0.5) for v in BOOLS)
    values.update((v, rng.randrange(3)) for v in COLOURS)
    return values


def random_integer(rng: Random, depth: int, linear: bool = False) -> Term:
    """A random integer term; `linear` keeps to sums of variables."""
    if depth == 0 or rng.random() < 0.3:
        return rng.choice((*INTS, build.integer(rng.randint(-3, 3))))
    left, right = (random_integer(rng, depth - 1, linear) for _ in range(2))
    kinds = ("add", "sub", "scale") if linear else ("add", "sub", "scale", "mul", "div", "mod", "ite")
    match rng.choice(kinds):
        case "add":
            return build.add(left, right)
        case "sub":
            return build.sub(left, right)
        case "scale":
            return build.scale(rng.randint(-3, 3), left)
        case "mul":
            return build.mul(left, right)
        case "div":
            return build.div(left, rng.choice((-3, -2, 2, 3)))
        case "mod":
            return build.mod(left, rng.choice((-3, -2, 2, 3)))
        case _:
            return build.ite(random_formula(rng, depth - 1), left, right)


def random_formula(rng: Random, depth: int, linear: bool = False) -> Term:
    """A random formula."""
    if depth == 0 or rng.random() < 0.25:
        return _atom(rng, depth, linear)
    left, right = (random_formula(rng, depth - 1, linear) for _ in range(2))
    match rng.choice(("and", "or", "not", "implies", "iff", "ite")):
        case "and":
            return build.land(left, right)
        case "or":
            return build.lor(left, right)
        case "not":
            return build.lnot(left)
        case "implies":
            return build.implies(left, right)
        case "iff":
            return build.eq(left, right)
        case _:
            return build.ite(random_formula(rng, depth - 1, linear), left, right)


def _atom(rng: Random, depth: int, linear: bool) -> Term:
    match rng.choice(("le", "lt", "eq", "bool", "colour", "colours")):
        case "le":
            return build.le(random_integer(rng, depth, linear), random_integer(rng, depth, linear))
        case "lt":
            return build.lt(random_integer(rng, depth, linear), random_integer(rng, depth, linear))
        case "eq":
            return build.eq(random_integer(rng, depth, linear), random_integer(rng, depth, linear))
        case "bool":
            return rng.choice(BOOLS)
        case "colour":
            return build.eq(rng.choice(COLOURS), build.constant(rng.randrange(3), COLOUR))
        case _:
            return build.eq(*rng.choices(COLOURS, k=2))
