"""Constrained Horn clauses, solved by Spacer. A solution is only a proposal: whoever uses it checks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import z3
from msgspec import Struct

from sa.base.limits import Limits, check_limits, count, spend
from sa.base.meter import Part, timed
from sa.smt.from_z3 import NotATerm, term_of
from sa.smt.stopping import TERM, Gauge, check_stopped
from sa.smt.translate import Translator
from sa.terms.term import Term, Var

#: Solver resources for one question; deterministic, unlike seconds.
RLIMIT = 10_000_000


class Atom(Struct, frozen=True):
    """A predicate applied to terms."""

    predicate: str
    arguments: tuple[Term, ...]


class Clause(Struct, frozen=True):
    """`body ∧ constraint ⇒ head`, for all atoms of the body; without a head the body is impossible."""

    body: tuple[Atom, ...]
    constraint: Term
    head: Atom | None


class Solution(Struct, frozen=True):
    """A formula over its parameters for each predicate."""

    predicates: Mapping[str, Term]


class NoSolution(Struct, frozen=True):
    """The clauses are contradictory."""


class GivenUp(Struct, frozen=True):
    """The solver could not tell."""

    why: str


HornAnswer: TypeAlias = Solution | NoSolution | GivenUp


def solve(
    parameters: Mapping[str, Sequence[Var]], clauses: Sequence[Clause], bounds: Limits, rlimit: int = RLIMIT
) -> HornAnswer:
    """Predicates over their parameters that satisfy the clauses. Raises LimitReached."""
    spend(bounds, 1000)
    context = z3.Context()
    translator = Translator(context)
    declarations = {
        name: z3.Function(name, *(translator.sort(v.sort) for v in variables), z3.BoolSort(context))
        for name, variables in parameters.items()
    }

    def atom(applied: Atom) -> z3.BoolRef:
        return translator.apply(declarations[applied.predicate], applied.arguments)

    solver = z3.SolverFor("HORN", context)
    # Inlined predicates come back with quantifiers.
    for transformation in ("inline_eager", "inline_linear", "slice"):
        solver.set(f"xform.{transformation}", False)
    gauge = Gauge(solver)
    gauge.allow(bounds, rlimit)
    for clause in clauses:
        solver.add(_closed(clause, translator, atom, context))
    count(bounds, TERM * translator.size)
    try:
        with timed(Part.SOLVER, "Horn clauses"):
            result = solver.check()
        spent = gauge.count(bounds)
        if result == z3.unsat:
            return NoSolution()
        if result != z3.sat:
            why = solver.reason_unknown()
            check_stopped(why, spent, rlimit, bounds)
            check_limits(bounds)
            return GivenUp(why)
        model = solver.model()
        return Solution({name: _read(model, declarations[name], parameters[name], context) for name in parameters})
    except (z3.Z3Exception, NotATerm) as problem:
        return GivenUp(str(problem))


def _closed(clause: Clause, translator: Translator, atom: object, context: z3.Context) -> z3.BoolRef:
    assert callable(atom)
    premises = [translator.translate(clause.constraint)]
    free = set(clause.constraint.free)
    for applied in (*clause.body, *(() if clause.head is None else (clause.head,))):
        free.update(*(t.free for t in applied.arguments))
    # In an order, so that the solver is asked the same each time.
    variables = sorted(free, key=lambda v: v.key)
    premises += [atom(applied) for applied in clause.body]
    for var in variables:
        premises += translator.within(var)
    head = z3.BoolVal(False, context) if clause.head is None else atom(clause.head)
    rule = z3.Implies(z3.And(*premises), head)
    bound = [translator.translate(v) for v in variables]
    return z3.ForAll(bound, rule) if bound else rule


def _read(model: z3.ModelRef, declaration: z3.FuncDeclRef, variables: Sequence[Var], context: z3.Context) -> Term:
    if not variables:
        return term_of(model.eval(declaration(), model_completion=True), ())
    interpretation = model[declaration]
    if interpretation is None:
        return term_of(z3.BoolVal(True, context), ())
    if isinstance(interpretation, z3.FuncInterp):
        if interpretation.num_entries():
            raise NotATerm("a table")
        return term_of(interpretation.else_value(), variables)
    raise NotATerm(str(interpretation))
