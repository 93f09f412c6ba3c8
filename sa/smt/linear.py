"""Linear equations over rational numbers, some of which must not be negative: a solution, if there is one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from fractions import Fraction

import z3

from sa.base.limits import Limits, check_limits, spend
from sa.smt.stopping import Gauge, check_stopped

#: Solver resources for one system: deterministic, unlike seconds.
_RLIMIT = 30_000_000


def solution(
    equations: Sequence[tuple[Mapping[int, int], int]], positive: Set[int], bounds: Limits
) -> dict[int, Fraction] | None:
    """Values of numbered unknowns with `sum of coefficients times unknowns == constant` for each of the equations.

    None where there are none, or the solver found none within its resources. Raises LimitReached.
    """
    spend(bounds, 1000)
    context = z3.Context()
    solver = z3.SolverFor("QF_LRA", ctx=context)
    gauge = Gauge(solver)
    gauge.allow(bounds, _RLIMIT)
    numbers = sorted({n for parts, _ in equations for n in parts})
    # As text: to make expressions one by one takes longer than to solve them.
    solver.from_string("".join(_written(equations, numbers, positive)))
    answer = solver.check()
    spent = gauge.count(bounds)
    if answer == z3.unknown:
        check_stopped(solver.reason_unknown(), spent, _RLIMIT, bounds)
        check_limits(bounds)
    if answer != z3.sat:
        return None
    model = solver.model()
    values = {n: model.eval(z3.Real(f"u{n}", context), model_completion=True) for n in numbers}
    return {n: Fraction(v.numerator_as_long(), v.denominator_as_long()) for n, v in values.items()}


def _written(
    equations: Sequence[tuple[Mapping[int, int], int]], numbers: Sequence[int], positive: Set[int]
) -> Iterator[str]:
    """The system in SMT-LIB."""
    for n in numbers:
        yield f"(declare-const u{n} Real)\n"
        if n in positive:
            yield f"(assert (>= u{n} 0.0))\n"
    for parts, constant in equations:
        total = " ".join(f"(* {_real(c)} u{n})" for n, c in parts.items())
        yield f"(assert (= (+ 0.0 {total}) {_real(constant)}))\n"


def _real(value: int) -> str:
    return f"{value}.0" if value >= 0 else f"(- {-value}.0)"
