"""The one question asked of the checker: does this evidence settle the goal?"""

from __future__ import annotations

from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.certificates.pairs import Simulation, StatePairs
from sa.certificates.play import Play
from sa.certificates.relation import Relation
from sa.checker.ruling import Accepted, Ruling
from sa.checker.solvers import Z3, Solvers
from sa.checker.weak_simulation import check_relation

__all__ = ["Accepted", "check"]


def check(goal: Goal, evidence: Simulation | Play, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether a relation or pairs of states prove the goal, or a play refutes it.

    Raises LimitReached, and SolverDisagrees on an internal error.
    """
    if isinstance(evidence, Relation):
        return check_relation(goal, evidence, bounds, seed, solvers)
    if isinstance(evidence, StatePairs):
        from sa.checker.pairs import check_pairs

        return check_pairs(goal, evidence, bounds, seed, solvers)
    from sa.checker.play import check_play

    return check_play(goal, evidence, bounds, seed, solvers)
