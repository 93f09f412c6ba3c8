"""Checks the evidence for PROVED: that a relation is a weak simulation (Definition 6) and covers the start.

The conditions are those of the paper's Definition 6 as THEORY sections 3 and 7 read them, with initial
coverage and, for open goals, the matching of environments. That invariants contain the initial states and
are inductive, and that the goal says what the sources say, is not looked at here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import TypeAlias

from sa.automata.automaton import Edge
from sa.base.limits import Limits, spend
from sa.certificates.goal import Goal, kappa_of
from sa.certificates.relation import AbstractPath, Relation
from sa.checker.claim import Claim, assumed_at, claim, related
from sa.checker.environments import at_pair, closures, declared
from sa.checker.obligation import Case, Obligation, discharge
from sa.checker.path import Run, loops, run, step
from sa.checker.ruling import Accepted, Failure, Rejected, Ruling
from sa.checker.scope import goal_fault, relation_fault
from sa.checker.side import invariant, renamed, state_variables
from sa.checker.solvers import Z3, Solvers
from sa.smt.solver import Solver
from sa.terms.build import ZERO, conjuncts, eq, land, le, lor, lt
from sa.terms.substitute import substitute
from sa.terms.term import Term


def check_relation(goal: Goal, relation: Relation, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether the relation proves the goal. Raises LimitReached, and SolverDisagrees on an internal error."""
    made = well_formed(goal, relation)
    return made if isinstance(made, Rejected) else check_claim(made, bounds, seed, solvers)


def well_formed(goal: Goal, relation: Relation) -> Claim | Rejected:
    """What the relation claims, if goal and relation are well-formed."""
    fault = goal_fault(goal)
    if fault is not None:
        return Rejected("well-formed goal", fault)
    made = claim(goal, relation)
    fault = relation_fault(made.concrete, made.abstract, relation)
    if fault is not None:
        return Rejected("well-formed evidence", fault)
    return made


#: Further obligations at a pair of locations.
Further: TypeAlias = Callable[[Claim, str, str], Iterable[Obligation]]


def check_claim(made: Claim, bounds: Limits, seed: int, solvers: Solvers, further: Further = lambda *_: ()) -> Ruling:
    """Whether a well-formed claim holds, and what is asked `further` at each pair. Raises LimitReached."""
    session = solvers.session(bounds, [a.formula for a in made.goal.axioms], seed)
    failure = _discharge_all(session, frozenset(), _once(made))
    if failure is not None:
        return failure
    for concrete, abstract in made.lemmas:
        spend(bounds, 200)
        here = assumed_at(made, concrete, abstract)
        asked = (*_at(made, concrete, abstract), *further(made, concrete, abstract))
        with session.assuming(here):
            failure = _discharge_all(session, frozenset(here), asked)
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
        yield _start(made)


def _at(made: Claim, concrete: str, abstract: str) -> Iterator[Obligation]:
    yield from at_pair(made, concrete, abstract)
    yield from _steps(made, concrete, abstract)


def _discharge_all(session: Solver, assumed: Set[Term], obligations: Iterable[Obligation]) -> Failure | None:
    return next((f for o in obligations if (f := discharge(session, assumed, o)) is not None), None)


def _steps(made: Claim, concrete: str, abstract: str) -> Iterator[Obligation]:
    """Wherever Ψ holds and an edge can be taken, an answer is possible and ends in Ψ: conditions 2.b and 2.c."""
    for number, _ in made.concrete.outgoing[concrete]:
        yield at_step(made, concrete, abstract, number)


def at_step(made: Claim, concrete: str, abstract: str, number: int) -> Obligation:
    """The same of one edge, by its number."""
    edge = made.goal.concrete.edges[number]
    taken = step(made.concrete, edge)
    paths = made.answers[concrete, abstract, number]
    where = f"({concrete}, {abstract}), edge {number} to {edge.target}"
    return Obligation("step", where, taken.conditions, _answers(made, edge, taken, abstract, paths))


def _answers(made: Claim, edge: Edge, taken: Run, abstract: str, paths: Sequence[AbstractPath]) -> Iterator[Case]:
    # A function, so that each obligation keeps its own edge however late its cases are made.
    for path in paths:
        yield _answer(made, edge, taken, abstract, path)


def _answer(made: Claim, edge: Edge, taken: Run, abstract: str, path: AbstractPath) -> Case:
    reply = run(made.abstract, abstract, [made.goal.abstract.edges[i] for i in path.edges], path.turns)
    reached = renamed(related(made, edge.target, reply.end), {**taken.after, **reply.after})
    body = (*_same_values(taken, reply), *reply.conditions, *reached, *_lowered(made, edge, taken, abstract, path))
    given = dict(path.witnesses)
    left = tuple(c for c in reply.choices if c not in given)
    return Case(left, renamed(body, given) if given else body)


def _lowered(made: Claim, edge: Edge, taken: Run, abstract: str, path: AbstractPath) -> Iterator[Term]:
    """That a step which is answered by staying lowers the rank, where there is one."""
    if made.ranks is None or path.edges or path.turns:
        return
    before, then = (made.ranks.get((q, abstract), ()) for q in (edge.source, edge.target))
    cases, kept = list[Term](), list[Term]()
    for old, new in zip(before, (substitute(t, taken.after) for t in then), strict=False):
        cases.append(land(*kept, le(ZERO, old), lt(new, old)))
        kept.append(le(new, old))
    yield lor(*cases)


def _same_values(taken: Run, reply: Run) -> Iterator[Term]:
    if taken.label is not None and reply.label is not None:
        pairs = zip(taken.label.values, reply.label.values, strict=True)
        yield from (eq(shown, answered) for shown, answered in pairs)


def coverage(made: Claim) -> Obligation:
    """Every concrete initial state has an abstract one that κ relates to it.

    Where the abstract side chooses, it has one that κ relates to it and Ψ contains.
    """
    return Obligation("initial coverage", "", _concrete_start(made), tuple(_openings(made)))


def _start(made: Claim) -> Obligation:
    """Ψ contains every pair of initial states that κ relates: condition 1."""
    hypotheses = (*_concrete_start(made), *_abstract_start(made))
    psi = related(made, made.goal.concrete.initial, made.goal.abstract.initial)
    return Obligation("start", "", hypotheses, (Case((), psi),))


def _concrete_start(made: Claim) -> tuple[Term, ...]:
    initial = made.goal.concrete.initial
    return (*conjuncts(made.goal.concrete.init), *invariant(made.concrete, initial))


def _abstract_start(made: Claim) -> tuple[Term, ...]:
    initial = made.goal.abstract.initial
    own = (*conjuncts(made.goal.abstract.init), *invariant(made.abstract, initial))
    return (*own, *conjuncts(kappa_of(made.goal)))


def _openings(made: Claim) -> Iterator[Case]:
    wanted = _abstract_start(made)
    if made.goal.choose_init:
        wanted = (*wanted, *related(made, made.goal.concrete.initial, made.goal.abstract.initial))
    for opening in made.openings:
        given = dict(opening)
        left = tuple(v for v in state_variables(made.abstract) if v not in given)
        yield Case(left, renamed(wanted, given))
