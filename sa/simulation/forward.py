"""Facts after rounds: affine spaces through the steps of both sides, by cases where an update has a condition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sa.domains import affine
from sa.domains.affine import Space
from sa.game.rounds import Round
from sa.terms import build
from sa.terms.cases import condition_in, decided
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: A round is taken apart into so many cases at most.
CASES = 8


def after(here: Space, answer: Round) -> Iterator[Space]:
    """What is known after a round from a space in which it is played, in each of its cases."""
    met = affine.meet(here, (r for t in answer.required for r in affine.rows_of(t)))
    if met is None:
        return
    for condition, updates in _cases(met, answer):
        space = affine.meet(met, affine.rows_of(condition))
        left = None if space is None else affine.assign(space, updates)
        if left is not None:
            yield affine.forget(left, answer.challenge.choices)


def _cases(met: Space, answer: Round) -> Iterator[tuple[Term, Mapping[Var, Term]]]:
    """What a round does, without conditionals if there are few: what one side chooses by the other one often tests."""
    choosing = {v: t for v, t in answer.updates.items() if condition_in(t) is not None}
    if not choosing:
        yield build.TRUE, answer.updates
        return
    definitions = affine.definitions(met)
    known = build.land(*(substitute(t, definitions) for t in (*answer.required, *answer.challenge.enabled)))
    said = frozenset(build.conjuncts(known))
    waiting: list[tuple[Term, dict[Var, Term]]] = [
        (build.TRUE, {v: substitute(t, definitions) for v, t in choosing.items()})
    ]
    made = 1
    while waiting:
        assumed, updates = waiting.pop()
        condition = next((c for t in updates.values() if (c := condition_in(t)) is not None), None)
        if condition is None or made >= CASES:
            yield assumed, {**answer.updates, **updates}
            continue
        parts = build.conjuncts(condition)
        if all(part in said for part in parts):
            ways: tuple[bool, ...] = (True,)
        elif any(build.lnot(part) in said for part in parts):
            ways = (False,)
        else:
            ways, made = (True, False), made + 1
        for truth in ways:
            more = condition if truth else build.lnot(condition)
            waiting.append((build.land(assumed, more), {v: decided(t, condition, truth) for v, t in updates.items()}))
