"""Whole programs, pair by pair: environments inferred on both sides, each pair decided, and put together (Theorem 4).

Environments come as closures first, short and coarse; then as exact as elimination allows; then with facts that a play
shows to be missing, asked for one by one. A play of a pair refutes nothing: in the program, abstract threads may help
each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from itertools import islice
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.automata.program import Program, Refinement
from sa.base.limits import Limits
from sa.base.verdict import Unknown
from sa.certificates.goal import Goal
from sa.certificates.pairs import StatePairs
from sa.certificates.relation import Relation
from sa.certificates.threads import Annotated, Composition
from sa.generation.checks import verify_together
from sa.generation.generate import Generated, automata, generate, strengthened, unbounded, weakened
from sa.generation.modular import Allowed
from sa.generation.visibility import Level
from sa.question.asked import Decision
from sa.question.goals import goals, silently
from sa.refinement.missing import Disturbance, candidates, conditions_of, disturbances
from sa.smt.session import Session
from sa.terms.term import Term

#: Facts about environments that are asked for until one holds, and facts that a proof may need.
CANDIDATES, FACTS = 24, 8

#: Solver resources for the question whether other threads keep to a fact.
RLIMIT = 6_000_000


class Effort(Enum):
    """How hard to try: closures at a glance or briefly, also smaller environments, or closures with all patience."""

    GLANCE = 0
    BRIEF = 1
    SHARPEN = 2
    PERSIST = 3


#: How goals are decided, with so much effort.
Decide: TypeAlias = Callable[[Goal, Effort], Decision]


class Attempt(Struct, frozen=True):
    """What came of the pairs: their decisions, the proof if all are related, and facts asked for, by thread.

    `hopeful` says that smaller environments could make a difference: not where a play does without one; `imprecise`
    says where precision was given up.
    """

    goals: tuple[Goal, ...]
    decisions: tuple[Decision, ...]
    composition: Composition | None
    facts: Mapping[str, tuple[Term, ...]]
    hopeful: bool
    imprecise: tuple[str, ...]


class _Work(Struct):
    """Both programs on a level, what is known of them, and decisions already made."""

    abstract: Program
    concrete: Program
    block: Refinement | None
    limits: Limits
    decide: Decide
    level: Level
    session: Session
    first: Generated
    second: Generated
    conditions: tuple[Term, ...]
    effort: Effort
    decided: dict[Goal, Decision] = field(default_factory=dict)


def attempt(
    abstract: Program,
    concrete: Program,
    block: Refinement | None,
    limits: Limits,
    decide: Decide,
    level: Level = Level.HIDDEN,
    effort: Effort = Effort.SHARPEN,
) -> Attempt:
    """Decide the pairs of two programs, each by `decide`.

    Raises InputError, LimitReached, and NotGenerated on an internal error.
    """
    if block is not None and block.silent_exit:
        abstract, concrete = (replace(p, threads=tuple(map(silently, p.threads))) for p in (abstract, concrete))
    names = {v.var.name for p in (abstract, concrete) for t in p.threads for v in t.variables}
    axioms = dict.fromkeys(a.formula for p in (abstract, concrete) for a in p.axioms)
    conditions = conditions_of((*abstract.threads, *concrete.threads))
    # Ghosts of the one side have names that the other one does not use.
    ghosts = tuple(f"at_{t.name}" for t in concrete.threads)
    first, second = (
        generate(p.threads, level, limits, avoid) for p, avoid in ((concrete, names), (abstract, (*names, *ghosts)))
    )
    work = _Work(
        abstract,
        concrete,
        block,
        limits,
        decide,
        level,
        Session(limits, tuple(axioms)),
        first,
        second,
        conditions,
        effort,
    )
    result = _decided(work, closures=True)
    if effort is not Effort.SHARPEN:
        return result
    if result.composition is None and result.hopeful:
        result = _decided(work, closures=False)
    asked = 0
    while result.composition is None and result.hopeful and asked < FACTS and _improved(work, result):
        asked += 1
        result = _decided(work, closures=True)
    return result


def _lost_alone(decision: Decision) -> bool:
    evidence = decision.evidence
    return not isinstance(evidence, Relation | StatePairs | Unknown) and not disturbances(evidence)


def _decided(work: _Work, closures: bool) -> Attempt:
    """The pairs' goals, in closures and with short invariants or with everything that is known, and their decisions."""
    strong, weak = dict[str, tuple[Automaton, ...]](), dict[str, tuple[Automaton, ...]]()
    for which, known in (("conc", work.first), ("abs", work.second)):
        made = automata(known, work.session, work.conditions) if closures else automata(known)
        verify_together(work.session, made)
        strong[which], weak[which] = made, weakened(known, made) if closures else made
    abstract, concrete = replace(work.abstract, threads=weak["abs"]), replace(work.concrete, threads=weak["conc"])
    asked = tuple(replace(g, matched=False) for g in goals(abstract, concrete, work.block, whole=False))
    decisions = list[Decision]()
    for goal in asked:
        if goal not in work.decided:
            work.decided[goal] = work.decide(goal, work.effort)
        decisions.append(work.decided[goal])
        if _lost_alone(decisions[-1]):
            break
    composition = _composition(work, asked, decisions, strong)
    hopeful = not any(_lost_alone(d) for d in decisions)
    imprecise = (*unbounded(work.first).values(), *unbounded(work.second).values())
    return Attempt(asked, tuple(decisions), composition, work.first.relations, hopeful, tuple(dict.fromkeys(imprecise)))


def _composition(
    work: _Work, asked: tuple[Goal, ...], decisions: list[Decision], strong: Mapping[str, tuple[Automaton, ...]]
) -> Composition | None:
    relations = tuple(d.evidence for d in decisions if isinstance(d.evidence, Relation))
    if len(relations) < len(asked):
        return None
    concrete, abstract = (
        {t.name: Annotated(t, made) for t, made in zip(p.threads, strong[which], strict=True)}
        for p, which in ((work.concrete, "conc"), (work.abstract, "abs"))
    )
    return Composition(
        tuple(concrete[g.concrete.name] for g in asked),
        tuple(abstract[g.abstract.name] for g in asked),
        asked,
        relations,
        tuple(dict.fromkeys((*work.abstract.axioms, *work.concrete.axioms))),
    )


def _improved(work: _Work, result: Attempt) -> bool:
    """Whether some fact was found that forbids an environment step of a play."""
    for goal, decision in zip(result.goals, result.decisions, strict=False):
        if isinstance(decision.evidence, Relation | StatePairs | Unknown):
            continue
        for step in disturbances(decision.evidence):
            if _forbidden(work, goal, step):
                return True
    return False


def _forbidden(work: _Work, goal: Goal, step: Disturbance) -> bool:
    """Whether a fact that forbids the step was found: then it is part of what is known."""
    name = (goal.concrete if step.concrete else goal.abstract).name
    known = work.first if step.concrete else work.second
    thread = next(t for t in known.exposure.threads if t.name == name)
    shared = variables_of(thread, Kind.GLOBAL)
    others = [t.name for t in known.exposure.threads if t.name != name]
    for fact in islice(_new(candidates(step, work.conditions, shared), known.relations.get(name, ())), CANDIDATES):
        answer = strengthened(known, [Allowed(other, fact) for other in others], {name: (fact,)}, work.limits, RLIMIT)
        if isinstance(answer, Generated):
            if step.concrete:
                work.first = answer
            else:
                work.second = answer
            return True
    return False


def _new(facts: Iterable[Term], known: tuple[Term, ...]) -> Iterable[Term]:
    return (f for f in dict.fromkeys(facts) if f not in known)
