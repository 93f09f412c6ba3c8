"""Questions of which all numbers have bounds, asked of bits: what integers take long for where words are taken apart.

A remainder by a power of two is some bits of a number, and exact integers of bounded size are bit-vectors that are wide
enough (`words.py`). Equations that define a variable are used first: what is equal after that needs no solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from sa.base.limits import Limits, Unsupported
from sa.smt.bitblast import Circuit
from sa.smt.view import View
from sa.terms import build
from sa.terms.bounds import assuming, interval_of
from sa.terms.evaluate import evaluate
from sa.terms.interval import WHOLE, Interval
from sa.terms.meaning import called
from sa.terms.solve import solution
from sa.terms.sort import ArraySort, IntSort, Value, default_value
from sa.terms.substitute import substitute
from sa.terms.term import And, IsZero, Le, Not, Or, Term, Var

#: How far numbers without bounds are looked for. That there are none so far says nothing.
ROOM = 1 << 33

#: So many times bounds are drawn from one another.
ROUNDS = 3


def by_bits(
    question: Iterable[Term], bounds: Limits, seed: int, rlimit: int
) -> Mapping[Var, Value] | Literal[False] | None:
    """Values for which the formulas hold; False where there are none, None where bits cannot say.

    Raises LimitReached.
    """
    asked = tuple(question)
    solved, left = _solved(build.conjoined(asked))
    if build.FALSE in left:
        return False
    ranges = _ranges(left)
    if ranges is None:
        return False
    circuit = Circuit(bounds, bits=True, seed=seed, rlimit=rlimit)
    try:
        free = sorted(frozenset[Var]().union(*(f.free for f in left)), key=lambda v: v.key)
        if any(isinstance(v.sort, ArraySort) for v in free):
            return None
        open_ = frozenset(v for v in free if isinstance(v.sort, IntSort) and None in ranges.get(v, WHOLE))
        room = _room(left, open_, ranges)
        wide = -(ROOM if room is None else room), (ROOM if room is None else room)
        scope = {v: circuit.fresh(v.key, v.sort, *(wide if v in open_ else ranges.get(v, WHOLE))) for v in free}
        view = View(circuit, scope)
        for formula in left:
            circuit.require(view.bit(formula))
        model = circuit.check()
    except Unsupported:
        return None
    if model is None or isinstance(model, bool):
        return None if model is None or (open_ and room is None) else False
    if any(called(term) for _, term in solved):
        return None
    values = {v: model.value(signal) for v, signal in scope.items()}
    return _with_solved(values, solved, frozenset[Var]().union(*(f.free for f in asked)))


def _solved(formulas: tuple[Term, ...]) -> tuple[list[tuple[Var, Term]], tuple[Term, ...]]:
    """Variables that equations determine, each by a term over those that come later or are left; and what is left."""
    found, left = list[tuple[Var, Term]](), formulas
    while (step := next((s for f in left if (s := solution(f, f.free)) is not None), None)) is not None:
        found.append(step)
        left = build.conjoined(substitute(f, {step[0]: step[1]}) for f in left)
    return found, left


def _ranges(formulas: tuple[Term, ...]) -> Mapping[Var, Interval] | None:
    """Between what bounds linear conditions put variables; None if they exclude each other."""
    ranges: Mapping[Var, Interval] = {}
    linear = [f for f in formulas if isinstance(f, Le | IsZero) and _is_linear(f.total)]
    for _ in range(ROUNDS):
        for formula in linear:
            narrower = assuming(formula, ranges)
            if narrower is None:
                return None
            ranges = narrower
    return ranges


def _room(formulas: Iterable[Term], open_: frozenset[Var], ranges: Mapping[Var, Interval]) -> int | None:
    """How far from 0 the variables without bounds need to be looked for; None where that is not known.

    Where they are only compared with each other and with 0, at distances up to some k: of a solution, sort their
    values and 0. Where two neighbours are further apart than k + 1, all on one side move until they are not, and no
    comparison changes. So there is a solution in which each is at most (k + 1) times their number away from 0.
    """
    seen, distance = dict[Term, Interval](), 0
    pending, met = list(formulas), set[Term]()
    while pending:
        here = pending.pop()
        if here in met or here.free.isdisjoint(open_):
            continue
        met.add(here)
        match here:
            case And(args) | Or(args):
                pending.extend(args)
            case Not(body):
                pending.append(body)
            case Le(total) | IsZero(total):
                constant, parts = build.linear_parts(total)
                compared = sorted(c for p, c in parts.items() if p in open_)
                rest = build.linear(constant, {p: c for p, c in parts.items() if p not in open_})
                low, high = interval_of(rest, ranges, seen)
                if (
                    compared not in ([-1], [1], [-1, 1])
                    or not rest.free.isdisjoint(open_)
                    or low is None
                    or high is None
                ):
                    return None
                distance = max(distance, abs(low), abs(high))
            case _:
                return None
    return len(open_) * (distance + 1)


def _is_linear(total: Term) -> bool:
    return all(isinstance(part, Var) for part in build.linear_parts(total)[1])


def _with_solved(
    values: dict[Var, Value], solved: list[tuple[Var, Term]], wanted: frozenset[Var]
) -> Mapping[Var, Value]:
    for var, term in reversed(solved):
        for other in term.free - values.keys():
            values[other] = default_value(other.sort)
        values[var] = evaluate(term, values)
    return values | {v: default_value(v.sort) for v in wanted - values.keys()}
