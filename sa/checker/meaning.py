"""Checks that functions without a body may have the meaning that a play gives them (THEORY section 4)."""

from __future__ import annotations

from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.certificates.interpreted import functions_mentioned
from sa.checker.ruling import Failure, Rejected, Undecided
from sa.checker.solvers import Solvers
from sa.smt.session import Sat, Unsat
from sa.terms.build import lnot
from sa.terms.meaning import Meaning, called, interpreted
from sa.terms.term import Function, Term, Var, has_quantifiers, sort_of


def meaning_fault(goal: Goal, meaning: Meaning, bounds: Limits, seed: int, solvers: Solvers) -> Failure | None:
    """Why functions may not mean that, or do not for all that is known. Raises LimitReached."""
    for function in functions_mentioned(goal):
        if function not in meaning.bodies:
            return Rejected("meaning", f"nothing is said of `{function.name}`")
    for function, (parameters, body) in meaning.bodies.items():
        if not _well_formed(function, parameters, body):
            return Rejected("meaning", f"it is no function like `{function.name}`")
    session = solvers.session(bounds, (), seed)
    for axiom in goal.axioms:
        match session.check((lnot(interpreted(axiom.formula, meaning)),)):
            case Unsat():
                continue
            case Sat():
                return Rejected("meaning", "an axiom is false")
            case _:
                return Undecided("meaning", "whether an axiom is true")
    return None


def _well_formed(function: Function, parameters: tuple[Var, ...], body: Term) -> bool:
    """Whether a body depends on the parameters alone. It has no binders: they could catch variables of arguments."""
    sorts = tuple(p.sort for p in parameters)
    plain = not called(body) and not has_quantifiers(body)
    known = sorts == function.arguments and len(set(parameters)) == len(parameters)
    return known and plain and sort_of(body) == function.result and body.free <= set(parameters)
