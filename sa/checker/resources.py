"""What a judgement may use, and questions that every judgement asks."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sa.automata.program import Axiom
from sa.base.limits import Limits
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.solvers import Solvers
from sa.smt.session import Unsat


class Resources(Struct, frozen=True):
    """Limits and solvers of a judgement."""

    bounds: Limits
    seed: int
    solvers: Solvers


def consistent(axioms: Sequence[Axiom], resources: Resources) -> Ruling:
    """From axioms that contradict each other anything follows."""
    if axioms:
        session = resources.solvers.make(resources.bounds, [a.formula for a in axioms], resources.seed)
        if isinstance(session.check(()), Unsat):
            return Rejected("axioms", "they contradict each other")
    return Accepted()
