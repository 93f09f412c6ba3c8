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
from sa.terms import build
from sa.terms.term import Term

#: Facts about environments that are asked for until one holds, and facts that a proof may need.
CANDIDATES, FACTS = 24, 8

#: Solver resources for the question whether other threads keep to a fact.
RLIMIT = 6_000_000


class Effort(Enum):
    """How hard to try: closures at a glance, any environment, closures briefly, also environments as exact as
    elimination allows, also facts that plays show to be missing, or closures with all patience.
    """

    GLANCE = 0
    ANYWHERE = 1
    BRIEF = 2
    EXACT = 3
    SHARPEN = 4
    PERSIST = 5


#: How goals are decided.
Decide: TypeAlias = Callable[[Goal], Decision]


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


class Work(Struct, eq=False):
    """Both programs on a level, and what is known of them. It is gone on with by whoever tries harder."""

    abstract: Program
    concrete: Program
    block: Refinement | None
    session: Session
    first: Generated
    second: Generated
    conditions: tuple[Term, ...]
    made: dict[tuple[str, bool], tuple[Automaton, ...]] = field(default_factory=dict)


def begin(
    abstract: Program, concrete: Program, block: Refinement | None, limits: Limits, level: Level = Level.HIDDEN
) -> Work:
    """What is known of two programs on a level of visibility. Raises LimitReached."""
    abstract, concrete = _silently(abstract, concrete, block)
    names = {v.var.name for p in (abstract, concrete) for t in p.threads for v in t.variables}
    axioms = dict.fromkeys(a.formula for p in (abstract, concrete) for a in p.axioms)
    conditions = conditions_of((*abstract.threads, *concrete.threads))
    # Ghosts of the one side have names that the other one does not use.
    ghosts = tuple(f"at_{t.name}" for t in concrete.threads)
    first, second = (
        generate(p.threads, level, limits, avoid) for p, avoid in ((concrete, names), (abstract, (*names, *ghosts)))
    )
    return Work(abstract, concrete, block, Session(limits, tuple(axioms)), first, second, conditions)


def _silently(abstract: Program, concrete: Program, block: Refinement | None) -> tuple[Program, Program]:
    if block is None or not block.silent_exit:
        return abstract, concrete
    first, second = (replace(p, threads=tuple(map(silently, p.threads))) for p in (abstract, concrete))
    return first, second


def in_any_environment(abstract: Program, concrete: Program, block: Refinement | None, decide: Decide) -> Attempt:
    """Decide the pairs of two programs as if others might do anything to what is shared, until one is not related.

    Nothing is inferred for that, which takes long where there are many threads. Raises InputError, LimitReached.
    """
    programs = _silently(abstract, concrete, block)
    theirs, mine = (tuple(map(_in_any, p.threads)) for p in programs)
    return _paired(programs, block, {"conc": mine, "abs": theirs}, {"conc": mine, "abs": theirs}, decide, (), True)


def _in_any(thread: Automaton) -> Automaton:
    return replace(thread, locations=tuple(replace(q, env=build.TRUE) for q in thread.locations))


def attempt(work: Work, limits: Limits, decide: Decide, effort: Effort = Effort.SHARPEN) -> Attempt:
    """Decide the pairs of two programs, each by `decide`. Raises InputError, LimitReached."""
    work.session.bounds = limits
    settled = dict[Goal, Decision]()

    def decide_once(goal: Goal) -> Decision:
        if goal not in settled:
            settled[goal] = decide(goal)
        return settled[goal]

    result = _decided(work, decide_once, closures=True, hasty=effort is Effort.GLANCE)
    if effort not in (Effort.EXACT, Effort.SHARPEN):
        return result
    if result.composition is None and result.hopeful:
        result = _decided(work, decide_once, False, _unrelated(result), hasty=effort is Effort.EXACT)
    asked = 0
    while effort is Effort.SHARPEN and result.composition is None and result.hopeful and asked < FACTS:
        if not _improved(work, limits, result):
            break
        asked += 1
        result = _decided(work, decide_once, closures=True)
    return result


def blame(work: Work) -> None:
    """Say what is wrong with the environments where no proof from them is accepted: until then nobody asks.

    Raises LimitReached, and NotGenerated on an internal error.
    """
    for made in work.made.values():
        verify_together(work.session, made)


def _lost_alone(decision: Decision) -> bool:
    evidence = decision.evidence
    return not isinstance(evidence, Relation | StatePairs | Unknown) and not disturbances(evidence)


def _unrelated(tried: Attempt) -> tuple[str, ...]:
    """Pairs for which no relation was found."""
    found = zip(tried.goals, tried.decisions, strict=False)
    return tuple(g.name for g, d in found if not isinstance(d.evidence, Relation | StatePairs))


def _decided(
    work: Work, decide: Decide, closures: bool, doubtful: tuple[str, ...] = (), hasty: bool = False
) -> Attempt:
    """The pairs' goals, in closures and with short invariants or with everything that is known, and their decisions.

    Where it is doubtful whether pairs are related they are decided first; who is `hasty` stops at one that is not.
    """
    strong, weak = dict[str, tuple[Automaton, ...]](), dict[str, tuple[Automaton, ...]]()
    for which, known in (("conc", work.first), ("abs", work.second)):
        if (which, closures) not in work.made:
            work.made[which, closures] = automata(known, work.session, work.conditions) if closures else automata(known)
        strong[which] = work.made[which, closures]
        weak[which] = weakened(known, strong[which]) if closures else strong[which]
    tried = _paired((work.abstract, work.concrete), work.block, strong, weak, decide, doubtful, hasty)
    imprecise = (*unbounded(work.first).values(), *unbounded(work.second).values())
    return replace(tried, facts=work.first.relations, imprecise=tuple(dict.fromkeys(imprecise)))


def _paired(
    programs: tuple[Program, Program],
    block: Refinement | None,
    strong: Mapping[str, tuple[Automaton, ...]],
    weak: Mapping[str, tuple[Automaton, ...]],
    decide: Decide,
    doubtful: tuple[str, ...],
    hasty: bool,
) -> Attempt:
    """The goals of an abstract and a concrete program whose threads are annotated, and their decisions."""
    abstract, concrete = (replace(p, threads=weak[which]) for p, which in zip(programs, ("abs", "conc"), strict=True))
    asked = tuple(replace(g, matched=False) for g in goals(abstract, concrete, block, whole=False))
    found = dict[Goal, Decision]()
    for goal in sorted(asked, key=lambda g: g.name not in doubtful):
        found[goal] = decide(goal)
        if _lost_alone(found[goal]) or (hasty and not isinstance(found[goal].evidence, Relation)):
            break
    asked = tuple(sorted(asked, key=lambda g: g not in found))
    decisions = tuple(found[g] for g in asked if g in found)
    composition = _composition(programs, asked, decisions, strong)
    return Attempt(asked, decisions, composition, {}, not any(_lost_alone(d) for d in decisions), ())


def _composition(
    programs: tuple[Program, Program],
    asked: tuple[Goal, ...],
    decisions: tuple[Decision, ...],
    strong: Mapping[str, tuple[Automaton, ...]],
) -> Composition | None:
    relations = tuple(d.evidence for d in decisions if isinstance(d.evidence, Relation))
    if len(relations) < len(asked):
        return None
    concrete, abstract = (
        {t.name: Annotated(t, made) for t, made in zip(p.threads, strong[which], strict=True)}
        for p, which in zip(reversed(programs), ("conc", "abs"), strict=True)
    )
    return Composition(
        tuple(concrete[g.concrete.name] for g in asked),
        tuple(abstract[g.abstract.name] for g in asked),
        asked,
        relations,
        tuple(dict.fromkeys(a for p in programs for a in p.axioms)),
    )


def _improved(work: Work, limits: Limits, result: Attempt) -> bool:
    """Whether some fact was found that forbids an environment step of a play."""
    for goal, decision in zip(result.goals, result.decisions, strict=False):
        if isinstance(decision.evidence, Relation | StatePairs | Unknown):
            continue
        for step in disturbances(decision.evidence):
            if _forbidden(work, limits, goal, step):
                return True
    return False


def _forbidden(work: Work, limits: Limits, goal: Goal, step: Disturbance) -> bool:
    """Whether a fact that forbids the step was found: then it is part of what is known."""
    name = (goal.concrete if step.concrete else goal.abstract).name
    known = work.first if step.concrete else work.second
    thread = next(t for t in known.exposure.threads if t.name == name)
    shared = variables_of(thread, Kind.GLOBAL)
    others = [t.name for t in known.exposure.threads if t.name != name]
    for fact in islice(_new(candidates(step, work.conditions, shared), known.relations.get(name, ())), CANDIDATES):
        answer = strengthened(known, [Allowed(other, fact) for other in others], {name: (fact,)}, limits, RLIMIT)
        if isinstance(answer, Generated):
            if step.concrete:
                work.first = answer
            else:
                work.second = answer
            # What was made of what was known before.
            work.made.clear()
            return True
    return False


def _new(facts: Iterable[Term], known: tuple[Term, ...]) -> Iterable[Term]:
    return (f for f in dict.fromkeys(facts) if f not in known)
