"""Random finite programs of several threads: small automata over shared variables and locals of their own.

`related` tells whether guards and updates may relate two variables. The same seed gives the same program.
"""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Variable
from sa.automata.ranges import within as declared
from sa.terms.build import TRUE, eq, ite, land, lor, variable
from sa.terms.term import Term
from tests.generators.drafts import (
    Arrow,
    Draft,
    built,
    of_kind,
    random_constant,
    random_guard,
    random_value,
    random_variable,
)


def random_threads(seed: int, related: bool) -> tuple[Automaton, ...]:
    """Two to four threads."""
    rng = Random(seed)
    count = rng.choice((2, 2, 2, 2, 2, 3, 3, 4))
    shared = tuple(random_variable(rng, n, Kind.GLOBAL) for n in ("g", "h", "k")[: rng.choice((1, 1, 2, 2, 3))])
    start = _start(rng, shared)
    return tuple(_thread(rng, f"T{i}", shared, start, count, related) for i in range(count))


def _thread(rng: Random, name: str, shared: tuple[Variable, ...], start: Term, count: int, related: bool) -> Automaton:
    own = (random_variable(rng, "l", Kind.LOCAL),) if rng.random() < 0.4 else ()
    size = rng.choice((2, 2, 3, 4)) if count == 2 else 2
    empty = Draft((*shared, *own), land(start, _start(rng, own)), (TRUE,) * size, (TRUE,) * size, ())
    tree = [_arrow(rng, empty, rng.randrange(i), i, related) for i in range(1, size)]
    more = [
        _arrow(rng, empty, rng.randrange(size), rng.randrange(size), related) for _ in range(rng.choice((0, 1, 1, 2)))
    ]
    thread = built(replace(empty, arrows=(*tree, *more)), name, "p")
    return replace(thread, locations=tuple(replace(q, env=None) for q in thread.locations))


def _start(rng: Random, variables: tuple[Variable, ...]) -> Term:
    values = [(v, random_constant(rng, v)) for v in variables if rng.random() < 0.9]
    others = [random_constant(rng, v) if rng.random() < 0.1 else c for v, c in values]
    return land(*(lor(eq(v.var, c), eq(v.var, d)) for (v, c), d in zip(values, others, strict=True)))


def _arrow(rng: Random, draft: Draft, source: int, target: int, related: bool) -> Arrow:
    """An edge with a guard, updates of one or two variables, sometimes conditional, sometimes with a choice.

    What would leave a range is disabled by the guard, as no invariant is to cut a step.
    """
    scope = draft.variables
    guard = land(*(_guard(rng, scope, related) for _ in range(rng.choice((1, 1, 2)))))
    changed = rng.sample(
        of_kind(draft, Kind.GLOBAL, Kind.LOCAL), k=1 if len(scope) == 1 else rng.choice((0, 1, 1, 1, 2))
    )
    updates, choices = list[tuple[Variable, Term]](), tuple[Variable, ...]()
    for v in changed:
        if not choices and rng.random() < 0.1:
            choices = (replace(v, var=variable("pick", v.var.sort), kind=Kind.LOCAL),)
        if choices and len(updates) == 0:
            updates.append((v, choices[0].var))
            guard = land(guard, _guard(rng, choices, related))
        else:
            value = _value(rng, v, scope, related)
            updates.append((v, value))
            guard = land(guard, declared(v, value))
    return Arrow(source, target, None, (), guard, tuple((v.var, t) for v, t in updates), choices)


def _guard(rng: Random, scope: tuple[Variable, ...], related: bool) -> Term:
    if rng.random() < 0.2:
        return lor(_atom(rng, scope, related), _atom(rng, scope, related))
    return _atom(rng, scope, related)


def _atom(rng: Random, scope: tuple[Variable, ...], related: bool) -> Term:
    return random_guard(rng, scope if related else (rng.choice(scope),))


def _value(rng: Random, target: Variable, scope: tuple[Variable, ...], related: bool) -> Term:
    seen = scope if related else (target,)
    value = random_value(rng, target, seen)
    if rng.random() < 0.15:
        return ite(random_guard(rng, seen), value, random_value(rng, target, seen))
    return value
