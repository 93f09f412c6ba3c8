"""Certificates of proof scripts: every step judged again, with the rules applied to what earlier steps say.

The programs come from the script's sources; what the certificate says of their threads is checked first, as all steps
rest on it. A step that is said to be proved must follow from steps that are proved, one that is said to be refuted
needs a play, a run, or values for which a side condition of its rule is false.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.proof import Preserves, Refines, Rule, Script, Step
from sa.base.verdict import Verdict
from sa.certificates.argument import Way
from sa.certificates.argument_json import read_places, read_values, read_way
from sa.certificates.goal import Goal
from sa.certificates.meaning_json import read_meaning
from sa.certificates.play_json import read_play
from sa.certificates.proof import excluded_by
from sa.certificates.proof_json import read_proof
from sa.certificates.relation_json import read_relation
from sa.certificates.run import Bad
from sa.certificates.run_json import read_run
from sa.certificates.shape import Entry
from sa.certificates.threads_json import read_joint
from sa.checker.judge import combined, discharged, expect
from sa.checker.judgement import Judged
from sa.checker.obligation import Obligation
from sa.checker.play import check_play
from sa.checker.proofs import check_proof, making
from sa.checker.question import NoQuestion
from sa.checker.refusals import check_refusals
from sa.checker.resources import Resources, consistent
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.run import check_run
from sa.checker.weak_simulation import check_relation
from sa.rules import annotated, invariances, refinements, statements
from sa.rules.annotated_programs import Stage, others_start, side_of
from sa.rules.application import Applied, Unfit
from sa.rules.facts import Fact, Invariance, Refinement, Side, sides_of
from sa.rules.named import rule_of
from sa.rules.refutation import check_failure, meant, variables_of
from sa.rules.statements import goal_of_pair_alone, goal_of_whole, goals_of_pairs, invariance_of, outer, refinement_of
from sa.rules.strong_and_weak_invariants import automaton_of, start, wanted
from sa.rules.strong_and_weak_invariants import obligations as inductive
from sa.rules.theorem_1_parallel_invariants import apart_formula

#: What becomes of evidence, and the fact that it is about if later steps may rest on it.
Found: TypeAlias = tuple[Ruling, Fact | None]


class _Session(Struct):
    """What is known while the steps are gone through: what they say, and which are proved."""

    script: Script
    stage: Stage
    resources: Resources
    facts: dict[str, Fact] = field(default_factory=dict)
    proved: set[str] = field(default_factory=set)


def judge_script(script: Script, entry: Entry, resources: Resources) -> Iterator[Judged]:
    """The rulings about a script, step by step. Raises Malformed and LimitReached."""
    verdict, programs, steps = entry.fields("verdict", "programs", "steps")
    items = [part.fields("step", "verdict", "cited", "evidence") for part in steps.items()]
    if [name.value for name, _, _, _ in items] != [step.name for step in script.steps]:
        raise steps.wrong(f"the steps of the script are {', '.join(s.name for s in script.steps)}")
    verdicts = [said.choice(Verdict) for _, said, _, _ in items]
    expect(verdict, combined(verdicts))
    if programs.value is None and set(verdicts) == {Verdict.UNKNOWN}:
        yield from (Judged(step.name, Verdict.UNKNOWN, None) for step in script.steps)
        return
    stage = Stage(annotated.read_worlds(programs, script), script.axioms)
    ruling = _sound(stage, resources)
    if not isinstance(ruling, Accepted):
        yield Judged("the programs", combined(verdicts), ruling)
        return
    session = _Session(script, stage, resources)
    for step, said, (_, _, cited, evidence) in zip(script.steps, verdicts, items, strict=True):
        names = tuple(c.text() for c in cited.items())
        if not _may_cite(script, step, said, names):
            raise cited.wrong("the step cites different steps")
        yield Judged(step.name, said, _step(session, step, said, names, evidence))


def _sound(stage: Stage, resources: Resources) -> Ruling:
    """Whether the axioms do not contradict each other, and what is said of the programs is true."""
    ruling = consistent(stage.axioms, resources)
    for world in stage.worlds.values():
        if isinstance(ruling, Accepted):
            ruling = annotated.fault_of(world) or discharged(annotated.obligations(world), stage.axioms, resources)
    return ruling


def _may_cite(script: Script, step: Step, said: Verdict, names: tuple[str, ...]) -> bool:
    """What the step cites, or, where it leaves open what it follows from, any steps before it."""
    earlier = [s.name for s in script.steps[: script.steps.index(step)]]
    left_open = step.rule is Rule.AUTO and not step.cited and said is not Verdict.REFUTED
    return names == step.cited or (left_open and set(names) <= set(earlier))


def _step(session: _Session, step: Step, said: Verdict, cited: tuple[str, ...], evidence: Entry) -> Ruling | None:
    facts = [session.facts[name] for name in cited if name in session.facts]
    try:
        session.facts[step.name] = _says(session, step, facts)
        if said is Verdict.UNKNOWN:
            return None
        if evidence.value is None:
            return Rejected("evidence", "there is none", step.name)
        if said is Verdict.REFUTED:
            return _refuted(session, step, facts, evidence)
        unproved = next((name for name in cited if name not in session.proved), None)
        if unproved is not None:
            return Rejected("cited steps", f"{unproved} is not proved", step.name)
        ruling, fact = _proved(session, step, facts, evidence)
    except Unfit as problem:
        return Rejected("rule", str(problem), step.name)
    except NoQuestion as problem:
        return None if said is Verdict.UNKNOWN else Rejected("question", str(problem), step.name)
    if isinstance(ruling, Accepted) and fact is not None:
        session.proved.add(step.name)
        session.facts[step.name] = fact
    return ruling


def _says(session: _Session, step: Step, cited: Sequence[Fact]) -> Fact:
    """What a step says, shown or not: where its rule fits, as what follows from the steps that it cites."""
    for way in _named(step) if step.cited else ():
        try:
            return rule_of(session.stage, step.claim, way, cited).fact
        except Unfit:
            continue
    return statements.fact_of(session.stage, step.claim)


def _proved(session: _Session, step: Step, cited: Sequence[Fact], evidence: Entry) -> Found:
    kind, what = evidence.only()
    if kind == "rule":
        return _applied(session, rule_of(session.stage, step.claim, read_way(what), cited))
    match step.claim, kind:
        case Refines() as claim, "relation":
            return _related(session, claim, what)
        case Refines() as claim, "pairs":
            return _pair_by_pair(session, claim, what)
        case Preserves() as claim, ("threads" | "joint"):
            return _inductive(session, claim, kind, what)
        case Preserves() as claim, ("keeps" | "never" | "lemmas" | "states" | "reduced"):
            return _never(session, claim, kind, evidence)
    raise evidence.wrong("such a claim cannot be shown in this way")


def _applied(session: _Session, applied: Applied) -> Found:
    fault = next((a.fault for a in applied.asked if a.fault is not None), None)
    if fault is not None:
        return Rejected("well-formed composition", fault), None
    conditions = (o for a in applied.asked for o in a.obligations)
    return discharged(conditions, session.stage.axioms, session.resources), applied.fact


# ---------------------------------------------------------------- refinements


def _goal(session: _Session, claim: Refines) -> tuple[Goal, Refinement]:
    """What the claim says directly, and as a fact. Raises Unfit and NoQuestion."""
    fact = refinement_of(session.stage, claim)
    if fact.left.whole and fact.right.whole:
        return goal_of_whole(session.stage, claim), fact
    refinements.about_pair(session.stage, claim)
    (goal,) = goals_of_pairs(session.stage, claim)
    kappa, iota = outer((goal.kappa, goal.iota), fact.left, fact.right)
    return goal, replace(fact, kappa=kappa, iota=iota)


def _related(session: _Session, claim: Refines, entry: Entry) -> Found:
    goal, fact = _goal(session, claim)
    relation = read_relation(entry, goal)
    resources = session.resources
    ruling = check_relation(goal, relation, resources.bounds, resources.seed, resources.solvers)
    ruling = _all(ruling, _begins(session, fact.right)) if isinstance(ruling, Accepted) else ruling
    return ruling, replace(fact, pairs=((goal, relation),) if len(claim.left) == 1 else ())


def _pair_by_pair(session: _Session, claim: Refines, entry: Entry) -> Found:
    goals, resources = goals_of_pairs(session.stage, claim), session.resources
    items = entry.items()
    if len(items) != len(goals):
        raise entry.wrong(f"{len(goals)} relations are expected")
    relations = [read_relation(item, goal) for item, goal in zip(items, goals, strict=True)]
    for goal, relation in zip(goals, relations, strict=True):
        ruling = check_relation(goal, relation, resources.bounds, resources.seed, resources.solvers)
        if not isinstance(ruling, Accepted):
            return ruling, None
    applied = refinements.pair_by_pair(session.stage, claim, zip(goals, relations, strict=True))
    ruling, fact = _applied(session, applied)
    return _all(ruling, _begins(session, side_of(session.stage.worlds, claim.right))), fact


# ---------------------------------------------------------------- invariants


def _inductive(session: _Session, claim: Preserves, kind: str, entry: Entry) -> Found:
    applied, parts = _ways(session, claim, Way(kind))
    items = entry.items()
    if len(items) != len(parts):
        raise entry.wrong(f"formulas by location are expected for {len(parts)} automata")
    for part, item in zip(parts, items, strict=True):
        automaton = automaton_of(part)
        places = read_places(item, automaton, session.stage.axioms)
        conditions = inductive(automaton, places, wanted(part, automaton), part.strong)
        ruling = discharged(conditions, session.stage.axioms, session.resources)
        if not isinstance(ruling, Accepted):
            return ruling, None
    return _applied(session, applied)


def _ways(session: _Session, claim: Preserves, way: Way) -> tuple[Applied, tuple[Invariance, ...]]:
    """What is shown by induction, and what is asked besides. Raises Unfit."""
    if way is Way.JOINT:
        return invariances.jointly(session.stage, claim), (invariance_of(session.stage, claim),)
    found = invariances.thread_by_thread(session.stage, claim)
    if found is None:
        raise Unfit("a part of the formula is about several threads")
    return found


def _never(session: _Session, claim: Preserves, kind: str, entry: Entry) -> Found:
    fact = invariance_of(session.stage, claim)
    if not fact.side.whole:
        raise Unfit("the threads are not all of their program")
    threads = tuple(t.thread for t in fact.side.threads)
    bads = {(0, 0): _bad(fact)}
    resources, axioms = session.resources, session.stage.axioms
    made = (
        read_joint(entry.only()[1], threads, bads, axioms)
        if kind == "never"
        else read_proof(entry, threads, bads, axioms, making(resources.bounds))
    )
    ruling = check_proof(made, resources.bounds, resources.seed, resources.solvers)
    said = len(excluded_by(made))
    return (ruling if said else Rejected("claim", "the proof is not about it")), fact


def _bad(fact: Invariance) -> Bad:
    return Bad(None, apart_formula(fact.formula, fact.side.threads))


# ---------------------------------------------------------------- what is refuted


def _refuted(session: _Session, step: Step, cited: Sequence[Fact], evidence: Entry) -> Ruling:
    kind, what = evidence.only()
    match step.claim, kind:
        case _, "fails":
            return _fails(session, step, cited, what)
        case Refines() as claim, "play":
            goal, fact = _goal(session, claim)
            return _all(_played(session, goal, what), _begins(session, *sides_of(fact)))
        case Refines() as claim, "alone":
            refinements.about_pair(session.stage, claim)
            ruling = _played(session, goal_of_pair_alone(session.stage, claim), what)
            return _all(ruling, _begins(session, *sides_of(refinement_of(session.stage, claim))))
        case Preserves() as claim, "violation":
            return _violated(session, claim, what)
    raise evidence.wrong("such a claim cannot be refuted in this way")


def _played(session: _Session, goal: Goal, entry: Entry) -> Ruling:
    """A play in an environment that was inferred refutes nothing: that may be larger than the real one."""
    if not (goal.closed or goal.matched):
        return Rejected("play", "the environment of these threads was inferred")
    play, resources = read_play(entry, goal), session.resources
    ruling = check_play(goal, play, resources.bounds, resources.seed, resources.solvers)
    return check_refusals(goal, play) if isinstance(ruling, Accepted) else ruling


def _begins(session: _Session, *sides: Side) -> Ruling:
    """Whether threads start in states only in which their programs do."""
    conditions = (o for side in sides for o in others_start(session.stage.worlds, side))
    return discharged(conditions, session.stage.axioms, session.resources)


def _all(*rulings: Ruling) -> Ruling:
    return next((r for r in rulings if not isinstance(r, Accepted)), Accepted())


def _violated(session: _Session, claim: Preserves, entry: Entry) -> Ruling:
    number, listed = entry.fields("thread", "run")
    fact = invariance_of(session.stage, claim)
    if number.value is None:
        if not fact.side.whole:
            return Rejected("run", "the threads are not all of their program")
        part, threads = fact, tuple(t.thread for t in fact.side.threads)
    else:
        _, parts = _ways(session, claim, Way.THREADS)
        part = parts[number.index(len(parts))]
        threads = (automaton_of(part),)
    return _all(check_run(threads, _bad(part), read_run(listed, threads)), _begins(session, part.side))


def _fails(session: _Session, step: Step, cited: Sequence[Fact], entry: Entry) -> Ruling:
    by, condition, where, values, functions = entry.fields("by", "condition", "where", "values", "functions")
    way = read_way(by)
    if way not in _named(step):
        raise by.wrong("the script names another rule")
    meaning = read_meaning(functions, session.script.functions)
    name, place = condition.text(), where.text()
    ruling: Ruling = Rejected("condition", "there is no such condition, or its variables are others", name)
    for obligation, sides in _conditions(session, step, way, cited):
        if (obligation.name, obligation.where) != (name, place):
            continue
        asked = meant(obligation, meaning)
        variables = variables_of(asked)
        if isinstance(values.value, Mapping) and set(values.value) == {v.key for v in variables}:
            given = read_values(values, variables)
            ruling = check_failure(asked, given, meaning, session.stage.axioms, session.resources)
            ruling = _all(ruling, _begins(session, *sides))
            if isinstance(ruling, Accepted):
                return ruling
    return ruling


def _named(step: Step) -> tuple[Way, ...]:
    """The ways to a claim that a step may fail in: the one of its rule, or all where it leaves that open.

    What is decided directly, or shown of each thread, cites nothing.
    """
    match step.rule:
        case Rule.CHAIN | Rule.PRESERVATION:
            return (Way(step.rule.value),)
        case Rule.PARALLEL:
            return (Way.PARALLEL if step.cited else Way.THREADS,)
        case Rule.AUTO if step.cited:
            return (Way.PARALLEL, Way.CHAIN, Way.PRESERVATION)
        case Rule.AUTO | None:
            return (Way.THREADS, Way.JOINT)
        case _:
            assert_never(step.rule)


def _conditions(
    session: _Session, step: Step, way: Way, cited: Sequence[Fact]
) -> Iterator[tuple[Obligation, tuple[Side, ...]]]:
    """The side conditions of a way to the claim, and what threads they are about.

    An induction asks that the invariant itself holds initially. Other conditions refute a rule that was asked for only:
    there may be other ways to the claim.
    """
    if way in (Way.THREADS, Way.JOINT) and isinstance(step.claim, Preserves):
        applied, parts = _ways(session, step.claim, way)
        for part in parts:
            automaton = automaton_of(part)
            yield start(automaton, wanted(part, automaton)), (part.side,)
        if step.rule is not Rule.PARALLEL:
            return
    else:
        applied = rule_of(session.stage, step.claim, way, cited)
    for asked in applied.asked:
        yield from ((o, sides_of(applied.fact)) for o in asked.obligations)
