"""Linear equations over rational numbers, some of which must not be negative: a solution, if there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from fractions import Fraction

import z3

from sa.base.limits import Limits, check_time
from sa.smt.stopping import check_stopped, milliseconds_left, resources

#: Solver resources for one system: deterministic, unlike seconds.
_RLIMIT = 30_000_000


def solution(
    equations: Sequence[tuple[Mapping[int, int], int]], positive: Set[int], bounds: Limits
) -> dict[int, Fraction] | None:
    """Values of numbered unknowns with `sum of coefficients times unknowns == constant` for each of the equations.

    None where there are none, or the solver found none within its resources. Raises LimitReached.
    """
    check_time(bounds)
    context = z3.Context()
    solver = z3.SolverFor("QF_LRA", ctx=context)
    solver.set("rlimit", _RLIMIT)
    if (milliseconds := milliseconds_left(bounds)) is not None:
        solver.set("timeout", milliseconds)
    numbers = sorted({n for parts, _ in equations for n in parts})
    unknown = {n: z3.Real(f"u{n}", context) for n in numbers}
    solver.add([unknown[n] >= 0 for n in numbers if n in positive])
    for parts, constant in equations:
        total = z3.Sum([c * unknown[n] for n, c in parts.items()]) if parts else z3.RealVal(0, context)
        solver.add(total == constant)
    answer = solver.check()
    if answer == z3.unknown:
        check_stopped(solver.reason_unknown(), resources(solver), _RLIMIT, bounds)
    if answer != z3.sat:
        return None
    model = solver.model()
    values = {n: model.eval(u, model_completion=True) for n, u in unknown.items()}
    return {n: Fraction(v.numerator_as_long(), v.denominator_as_long()) for n, v in values.items()}
