"""Drafts of small finite automata: plain data over plain names, random or changed a little, made into automata.

A draft is easier to change than an automaton: locations are numbers, formulas speak of plain variables, and
the ranges of variables are conjoined to the invariants only when the automaton is built.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind, Label, Location, Origin, Variable
from sa.terms.build import TRUE, add, boolean, constant, eq, integer, land, le, lnot, lor, lt, ne, sub, variable
from sa.terms.sort import BOOL, INT, EnumSort
from sa.terms.substitute import primed, sided, substitute
from sa.terms.term import Term, Var

NOWHERE = Origin(None)
COLOR = EnumSort("Color", ("Red", "Green", "Blue"))


class Arrow(Struct, frozen=True):
    """An edge of a draft; `action` is None where it is silent."""

    source: int
    target: int
    action: str | None
    values: tuple[Term, ...] = ()
    guard: Term = TRUE
    updates: tuple[tuple[Var, Term], ...] = ()
    choices: tuple[Variable, ...] = ()


class Draft(Struct, frozen=True):
    """An automaton to be: one invariant and one environment for each location, location 0 initial."""

    variables: tuple[Variable, ...]
    init: Term
    inv: tuple[Term, ...]
    env: tuple[Term, ...]
    arrows: tuple[Arrow, ...]


def built(draft: Draft, name: str, prefix: str) -> Automaton:
    """The automaton of a draft, its variables but the parameters renamed to `prefix.x`."""
    choices = [c for a in draft.arrows for c in a.choices]
    owned = [v.var for v in (*draft.variables, *choices) if v.kind is not Kind.PARAM]
    names: dict[Var, Term] = {v: sided(v, prefix) for v in owned}
    names.update({primed(v): sided(primed(v), prefix) for v in owned})

    def renamed(v: Variable) -> Variable:
        return v if v.kind is Kind.PARAM else Variable(sided(v.var, prefix), v.kind, v.low, v.high)

    ranges = land(*(within(v) for v in draft.variables))
    locations = tuple(
        Location(f"q{i}", substitute(land(ranges, inv), names), substitute(env, names), NOWHERE)
        for i, (inv, env) in enumerate(zip(draft.inv, draft.env, strict=True))
    )
    edges = tuple(
        Edge(
            f"q{a.source}",
            f"q{a.target}",
            Label(a.action, tuple(substitute(t, names) for t in a.values)) if a.action else None,
            substitute(land(a.guard, *(within(c) for c in a.choices)), names),
            tuple((sided(v, prefix), substitute(t, names)) for v, t in a.updates),
            tuple(renamed(c) for c in a.choices),
            NOWHERE,
        )
        for a in draft.arrows
    )
    variables = tuple(renamed(v) for v in draft.variables)
    return Automaton(name, variables, locations, "q0", substitute(land(ranges, draft.init), names), edges, NOWHERE)


def within(v: Variable) -> Term:
    """The range of a variable as a formula."""
    if v.low is None or v.high is None:
        return TRUE
    return land(le(integer(v.low), v.var), le(v.var, integer(v.high)))


def of_kind(draft: Draft, *kinds: Kind) -> tuple[Variable, ...]:
    """The draft's variables of these kinds."""
    return tuple(v for v in draft.variables if v.kind in kinds)


def ranged(name: str, kind: Kind, high: int) -> Variable:
    """A variable of sort int with the range `0..high`."""
    return Variable(variable(name), kind, 0, high)


def random_variable(rng: Random, name: str, kind: Kind) -> Variable:
    """A Boolean, an enumeration, or (mostly) an int with a small range."""
    shape = rng.choices(("bool", "enum", 1, 2, 3), (2, 1, 3, 3, 1))[0]
    if shape == "bool":
        return Variable(variable(name, BOOL), kind)
    if shape == "enum":
        return Variable(variable(name, COLOR), kind)
    return ranged(name, kind, int(shape))


def random_constant(rng: Random, v: Variable) -> Term:
    """A value of the variable."""
    sort = v.var.sort
    if sort == BOOL:
        return boolean(rng.random() < 0.5)
    high = len(sort.constructors) - 1 if isinstance(sort, EnumSort) else v.high
    assert high is not None
    return constant(rng.randint(0, high), sort)


def random_guard(rng: Random, scope: tuple[Variable, ...]) -> Term:
    """A small condition over the scope, sometimes none."""
    if not scope or rng.random() < 0.5:
        return TRUE
    v = rng.choice(scope)
    if v.var.sort != INT:
        return rng.choice((eq, ne))(v.var, random_constant(rng, v))
    others = [w.var for w in scope if w.var.sort == INT and w is not v]
    right = rng.choice(others) if others and rng.random() < 0.4 else random_constant(rng, v)
    return rng.choice((eq, ne, le, lt))(v.var, right)


def random_value(rng: Random, target: Variable, scope: tuple[Variable, ...]) -> Term:
    """Something to assign to `target`; it may lie outside its range, and then the step does not exist."""
    same = [w.var for w in scope if w.var.sort == target.var.sort]
    if not same or rng.random() < 0.4:
        return random_constant(rng, target)
    source = rng.choice(same)
    if target.var.sort == BOOL:
        return rng.choice((source, lnot(source)))
    if target.var.sort != INT:
        return source
    return rng.choice(
        (source, add(source, integer(1)), sub(source, integer(1)), sub(integer(target.high or 0), source))
    )


def random_arrow(rng: Random, draft: Draft, source: int, target: int) -> Arrow:
    """An edge with a random action, guard and update, sometimes with a choice and with a value shown."""
    owned = of_kind(draft, Kind.GLOBAL, Kind.LOCAL)
    action = rng.choice((None, None, "a", "a", "b"))
    shown = rng.choice([v.var for v in draft.variables if v.var.sort == owned[0].var.sort])
    values = (shown,) if action and rng.random() < 0.25 else ()
    guard = random_guard(rng, draft.variables)
    if rng.random() < 0.25:
        return Arrow(source, target, action, values, guard)
    changed = rng.choice(owned)
    if rng.random() < 0.15:
        choice = Variable(variable("pick", changed.var.sort), Kind.LOCAL, changed.low, changed.high)
        limit = random_guard(rng, (choice, changed))
        updates = ((changed.var, choice.var),)
        return Arrow(source, target, action, values, land(guard, limit), updates, (choice,))
    assigned = ((changed.var, random_value(rng, changed, draft.variables)),)
    return Arrow(source, target, action, values, guard, assigned)


def random_environment(rng: Random, shared: tuple[Variable, ...], scope: tuple[Variable, ...]) -> tuple[Term, str]:
    """A reflexive environment relation and the name of its kind."""
    identity = land(*(eq(primed(v.var), v.var) for v in shared))
    kind = rng.choice(("identity", "cubes", "cubes", "inequality", "while"))
    v = rng.choice(shared)
    rest = land(*(eq(primed(w.var), w.var) for w in shared if w is not v))
    if kind == "cubes":
        # Often a walk, each cube starting where the last one ended, which makes the relation non-transitive.
        values = [random_constant(rng, v) for _ in range(rng.randint(2, 4))]
        cubes = [land(eq(v.var, c), eq(primed(v.var), d), rest) for c, d in pairwise(values)]
        return lor(identity, *cubes), kind
    if kind == "inequality" and v.var.sort == INT:
        now, then = v.var, primed(v.var)
        up, down = le(now, then), le(then, now)
        slow = land(up, le(then, add(now, integer(1))))
        return land(rng.choice((up, down, slow)), rest), kind
    if kind == "while":
        return land(lor(lnot(random_guard(rng, scope)), eq(primed(v.var), v.var)), rest), kind
    return identity, "identity"
