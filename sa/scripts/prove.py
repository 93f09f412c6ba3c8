"""Scripts: each step by its rule, each side condition a leaf that is proved, refuted or not settled.

A step's own conditions do not depend on whether what it cites was shown, only on what that says; the step is PROVED
where everything below it is. Nothing becomes PROVED without the checker: relations are checked as they are found, and
rules are made of the checker's obligations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.proof import Script, Step
from sa.base.clock import clock
from sa.base.limits import LimitReached, is_over, sooner
from sa.base.source import Source
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.argument import Argument, Played, Violated
from sa.certificates.threads import Annotated
from sa.checker.question import NoQuestion
from sa.engines.options import Options
from sa.engines.tried import Diary, each_once
from sa.processes.tasks import Task, in_order
from sa.rules.annotated_programs import Stage
from sa.rules.application import Unfit, Unshown
from sa.rules.facts import Fact
from sa.rules.statements import fact_of
from sa.scripts.annotated_programs import worlds_of
from sa.scripts.result import Proof, StepResult
from sa.scripts.rules import apply, needed
from sa.scripts.work import Work
from sa.smt.session import Session

#: What results of steps share with the script: compared by identity, or large.
_KEPT = (Source, Annotated, Automaton)

#: How much of the time a step has that is settled by citations, and one for which evidence is looked for.
CITING, SEARCHING = 1, 4

#: What is said of a step that has none left.
USED_UP = "this step's share of the time was used up, and the rest is for the steps after it"

#: Once one of these is reached the steps that are left are not begun.
LIMITS = frozenset({Reason.TIMEOUT, Reason.MEMORY, Reason.INTERRUPTED})


class Prepared(Struct, frozen=True):
    """A script whose programs are annotated; `session` knows what was shown of them and assumes the axioms."""

    script: Script
    options: Options
    session: Session
    stage: Stage


class Done(Struct, frozen=True):
    """A step's answer, and what it says; None where a limit was reached first."""

    result: StepResult
    fact: Fact | None


def prepare(script: Script, options: Options) -> Prepared:
    """Annotate the threads of the programs. Raises LimitReached, InputError, and NotGenerated on an internal error."""
    session = Session(options.limits, tuple(a.formula for a in script.axioms), options.seed)
    return Prepared(script, options, session, Stage(worlds_of(script, session, options), script.axioms))


def prove(prepared: Prepared) -> Iterator[StepResult]:
    """The steps' answers, in order, each as soon as it and those before it are known. Raises LimitReached.

    Up to `jobs` steps are worked on at once, each in a process of its own.
    """
    steps = prepared.script.steps
    tasks: tuple[Task[Done], ...] = tuple(_task(prepared, number) for number in range(len(steps)))
    shared = (prepared.script, prepared.stage)
    reason = Reason.TIMEOUT
    results = in_order(tasks, prepared.options.jobs, shared, _KEPT, prepared.options.limits)
    for step, done in zip(steps, results, strict=True):
        if done is None:
            yield not_begun(step, reason)
            continue
        reason = limit_of(done.result) or reason
        yield done.result


def not_begun(step: Step, reason: Reason) -> StepResult:
    """A step that a limit was reached before."""
    return StepResult(step, Verdict.UNKNOWN, "", (), (), Unknown(reason, "before this step began"), 0.0)


def limit_of(result: StepResult) -> Reason | None:
    """The limit that was reached while a step was worked on."""
    reasons = [u.reason for u in (result.unknown, *(r.unknown for r in result.results)) if u is not None]
    return next((reason for reason in reasons if reason in LIMITS), None)


def _task(prepared: Prepared, number: int) -> Task[Done]:
    steps = prepared.script.steps
    step = steps[number]
    return Task(
        step.name,
        needed(step, steps[:number]),
        partial(_step, prepared, number),
        lambda done: _ended(prepared, done.result),
        lambda reason: Done(StepResult(step, Verdict.UNKNOWN, "", (), (), Unknown(reason), 0.0), None),
    )


def _ended(prepared: Prepared, result: StepResult) -> Reason | None:
    """The limit that ends the script, too: not the one of a step that has used up its share of the time."""
    reason = limit_of(result)
    return None if reason is Reason.TIMEOUT and not is_over(prepared.options.limits) else reason


def part_of_time(steps: Sequence[Step], number: int, jobs: int) -> float:
    """Which part of the seconds that are left a step has: what earlier ones have left goes to those behind them."""
    weights = [CITING if s.cited else SEARCHING for s in steps[number:]]
    return min(1.0, jobs * weights[0] / sum(weights))


def proof_of(script: Script, steps: tuple[StepResult, ...]) -> Proof:
    """All answers together: refuted before unknown before proved."""
    verdicts = {s.verdict for s in steps}
    worst = next((v for v in (Verdict.REFUTED, Verdict.UNKNOWN) if v in verdicts), Verdict.PROVED)
    return Proof(script, steps, worst if steps else Verdict.UNKNOWN, sum(s.seconds for s in steps))


def _step(prepared: Prepared, number: int, earlier: Mapping[str, Done]) -> Done:
    """Work on a step for its part of the time; `earlier` are those that it needs."""
    started, steps, options = clock(), prepared.script.steps, prepared.options
    own = sooner(options.limits, part_of_time(steps, number, max(1, options.jobs)))
    prepared, step = replace(prepared, options=replace(options, limits=own)), steps[number]
    facts = {name: done.fact for name, done in earlier.items() if done.fact is not None}
    verdicts = {name: done.result.verdict for name, done in earlier.items()}
    work = _begun(prepared, step, facts, verdicts)
    fact, unknown = None, None
    try:
        if any(name not in facts for name in step.cited):
            unknown = Unknown(Reason.BOUND, "the steps that it cites were not finished")
        else:
            fact = apply(work)
    except Unshown as problem:
        # What is told is that the cited steps are not proved, if that is so.
        unknown = Unknown(Reason.UNSUPPORTED, str(problem)) if {*verdicts.values()} <= {Verdict.PROVED} else None
        fact = fact_of(prepared.stage, step.claim)
    except Unfit as problem:
        unknown = Unknown(Reason.UNSUPPORTED, str(problem))
        fact = fact_of(prepared.stage, step.claim)
    except NoQuestion as problem:
        unknown = Unknown(Reason.UNSUPPORTED, str(problem))
    except LimitReached as limit:
        shared = limit.reason is Reason.TIMEOUT and not is_over(options.limits)
        unknown = Unknown(limit.reason, USED_UP if shared else "")
    return Done(replace(_judged(work, unknown, verdicts), seconds=clock() - started), fact)


def _begun(prepared: Prepared, step: Step, facts: Mapping[str, Fact], verdicts: Mapping[str, Verdict]) -> Work:
    plain = Session(prepared.options.limits, (), prepared.options.seed)
    session = prepared.session.again() if prepared.script.axioms else plain
    session.bounds = prepared.options.limits
    # What the engines are at is told for each step.
    options = replace(prepared.options, diary=Diary())
    return Work(prepared.script, options, prepared.stage, facts, verdicts, step, session, plain)


def _judged(work: Work, unknown: Unknown | None, verdicts: Mapping[str, Verdict]) -> StepResult:
    """The verdict: refuted where something below is, proved where everything below is, and what is cited."""
    cited = work.cited if work.cited else work.step.cited
    step = replace(work.step, cited=cited)
    own = [*(leaf.verdict for leaf in work.leaves), *(r.verdict for r in work.results)]
    below = [verdicts[name] for name in cited]
    if Verdict.REFUTED in own:
        verdict = Verdict.REFUTED
    elif unknown is None and {*own, *below} <= {Verdict.PROVED} and (own or below):
        verdict = Verdict.PROVED
    else:
        verdict = Verdict.UNKNOWN
        unproved = _unproved(cited, below)
        if unknown is None and unproved:
            unknown = Unknown(Reason.BOUND, f"it depends on {', '.join(unproved)}, which is not proved")
    results, leaves = tuple(work.results), tuple(work.leaves)
    argument, tried = _argument(work, verdict), each_once(work.options.diary.turns)
    return StepResult(step, verdict, work.rule, leaves, results, unknown, 0.0, work.run, argument, tried)


def _argument(work: Work, verdict: Verdict) -> Argument | None:
    """The evidence for a verdict: what was found for it, or the first side condition that fails."""
    match verdict:
        case Verdict.UNKNOWN:
            return None
        case Verdict.PROVED:
            return work.argument
        case Verdict.REFUTED if isinstance(work.argument, Played | Violated):
            return work.argument
    examples = (leaf.example for leaf in work.leaves if leaf.verdict is Verdict.REFUTED)
    return next((e.fails for e in examples if e is not None), None)


def _unproved(cited: Sequence[str], verdicts: Sequence[Verdict]) -> list[str]:
    return [n for n, v in zip(cited, verdicts, strict=True) if v is not Verdict.PROVED]
