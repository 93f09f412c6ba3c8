"""That no values satisfy some formulas: by substitution of all of them, or by the solver where they are infinite."""

from __future__ import annotations

from collections.abc import Sequence

from sa.automata.automaton import Variable
from sa.certificates.play import Exhausted
from sa.checker.answers import BOUND, NotEnumerable, domain
from sa.checker.obligation import example, solved
from sa.checker.ruling import Failure, Rejected, Undecided
from sa.checker.solvers import witnessed
from sa.smt.session import Sat, Unsat
from sa.smt.solver import Solver
from sa.terms.build import FALSE, constant
from sa.terms.evaluate import Unevaluable
from sa.terms.substitute import substitute
from sa.terms.term import Term


def absence(
    session: Solver, name: str, where: str, formulas: Sequence[Term], unknowns: Sequence[Variable], how: Exhausted
) -> Failure | None:
    """None where no values of the unknowns, the only free variables, satisfy all formulas.

    Raises NotEnumerable, Unevaluable, LimitReached and SolverDisagrees.
    """
    _, rest = solved(formulas, frozenset(v.var for v in unknowns))
    if how is Exhausted.ENUMERATED:
        is_there = FALSE not in rest and _is_satisfiable(rest, unknowns)
        return Rejected(name, "there is one", where) if is_there else None
    match session.check(rest):
        case Unsat():
            return witnessed(session, name, where, lambda: formulas)
        case Sat(values):
            return Rejected(name, example(values), where)
        case undecided:
            return Undecided(name, undecided.why, where)


def _is_satisfiable(formulas: Sequence[Term], unknowns: Sequence[Variable]) -> bool:
    pending, looked_at = [list(formulas)], 0
    while pending:
        looked_at += 1
        if looked_at > BOUND:
            raise NotEnumerable("too many values")
        here = pending.pop()
        free = frozenset().union(*(f.free for f in here))
        variable = next((v for v in unknowns if v.var in free), None)
        if variable is None:
            if here:
                raise Unevaluable(here[0].key)
            return True
        values = domain(variable)
        if len(values) > BOUND:
            raise NotEnumerable("too many values")
        for value in values:
            one = {variable.var: constant(value, variable.var.sort)}
            _, rest = solved([substitute(f, one) for f in here], frozenset(v.var for v in unknowns))
            if FALSE not in rest:
                pending.append(rest)
    return False
