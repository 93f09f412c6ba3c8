"""Checks the evidence for PROVED: that a relation is a weak simulation (Definition 6) and covers the start.

The conditions are those of the paper's Definition 6 as THEORY sections 3 and 7 read them, with initial
coverage and, for open goals, the matching of environments. That invariants contain the initial states and
are inductive, and that the goal says what the sources say, is not looked at here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from sa.base.limits import Limits, check_time
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.checker.claim import Claim, assumed_at, claim
from sa.checker.environments import at_pair, closures, declared
from sa.checker.obligation import Obligation, discharge
from sa.checker.path import loops
from sa.checker.ruling import Accepted, Failure, Rejected, Ruling
from sa.checker.scope import goal_fault, relation_fault
from sa.checker.solvers import Z3, Solvers
from sa.checker.start import coverage, start
from sa.checker.steps import steps
from sa.smt.solver import Solver
from sa.terms.term import Term


def check_relation(goal: Goal, relation: Relation, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether the relation proves the goal. Raises LimitReached, and SolverDisagrees on an internal error."""
    fault = goal_fault(goal)
    if fault is not None:
        return Rejected("well-formed goal", fault)
    made = claim(goal, relation)
    fault = relation_fault(made.concrete, made.abstract, relation)
    if fault is not None:
        return Rejected("well-formed evidence", fault)
    session = solvers.session(bounds, [a.formula for a in goal.axioms], seed)
    failure = _discharge_all(session, frozenset(), _once(made))
    if failure is not None:
        return failure
    for pair in relation.pairs:
        check_time(bounds)
        here = assumed_at(made, pair.concrete, pair.abstract)
        with session.assuming(here):
            failure = _discharge_all(session, frozenset(here), _at(made, pair.concrete, pair.abstract))
        if failure is not None:
            return failure
    return Accepted()


def _once(made: Claim) -> Iterator[Obligation]:
    yield from declared(made)
    for name, closure in made.closure.items():
        yield from closures(made.abstract, name, closure)
    yield from loops(made.abstract, dict.fromkeys(t for paths in made.answers.values() for p in paths for t in p.turns))
    yield coverage(made)
    if not made.goal.choose_init:
        yield start(made)


def _at(made: Claim, concrete: str, abstract: str) -> Iterator[Obligation]:
    yield from at_pair(made, concrete, abstract)
    yield from steps(made, concrete, abstract)


def _discharge_all(session: Solver, assumed: Set[Term], obligations: Iterable[Obligation]) -> Failure | None:
    return next((f for o in obligations if (f := discharge(session, assumed, o)) is not None), None)
