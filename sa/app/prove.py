"""`prove`: the steps of a proof script, each by its rule, as far as limits let them be worked on.

What was shown before a limit stands; the step at which it is reached and all after it are UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sa.app.chain import Chain, same_links
from sa.app.outputs import Output, refuse_loss
from sa.automata.program import Program
from sa.automata.proof import Script, Step
from sa.base.clock import clock
from sa.base.diagnostic import Diagnostic, InputError, Severity
from sa.base.limits import LimitReached, Limits
from sa.base.source import Source
from sa.base.verdict import Reason, Unknown, Verdict
from sa.conditions import inductive, joint_inductiveness
from sa.conditions.environment import declared
from sa.conditions.vacuity import contradiction, vacuity
from sa.engines.options import Options
from sa.frontends.load import load_script
from sa.generation.checks import NotGenerated
from sa.rules.annotated_programs import Stage
from sa.scripts.functions import doubt
from sa.scripts.prove import Prepared, prepare, proof_of
from sa.scripts.prove import prove as run
from sa.scripts.result import Proof, StepResult

_NOT_BEGUN = "before this step began"


class ProveRequest(Struct, frozen=True):
    """`split` splits steps of the programs' threads that touch several shared locations.

    A `chain` has the script with it. `outputs` are what is written with the answer: no file that is read.
    """

    path: str
    split: bool
    options: Options
    chain: Chain | None = None
    outputs: tuple[Output, ...] = ()


class Answer(Struct, frozen=True):
    """A proof as far as it goes, warnings about what cannot happen, what was noticed in the files, seconds by phase.

    `stage` is what all steps rest on, if it came to that; `sources` are all texts that were read.
    """

    proof: Proof
    warnings: tuple[Diagnostic, ...]
    noticed: tuple[Diagnostic, ...]
    seconds: Mapping[str, float]
    sources: tuple[Source, ...]
    stage: Stage | None = None


def prove(request: ProveRequest, tell: Callable[[Callable[[Unknown], Answer]], None] | None = None) -> Answer:
    """The answers to all steps of a script.

    Raises InputError, LimitReached while the files are read, and NotGenerated where the solver refutes what sacheck
    itself inferred of the programs: a bug of sacheck. `tell` is given a function that makes the answer so far, should
    the work be given up at any moment.
    """
    started = clock()
    loaded = load_script(request.path, request.split, None if request.chain is None else request.chain.text)
    refuse_loss(request.outputs, (s.name for s in loaded.sources if s.name != request.path))
    if request.chain is not None:
        same_links(request.chain, loaded.script)
    script, seconds = loaded.script, {"load": clock() - started}
    found = list[StepResult]()
    if tell is not None:

        def so_far(why: Unknown) -> Answer:
            shown = tuple(found)
            results = (*shown, *_left(script.steps[len(shown) :], why))
            return Answer(proof_of(script, results), (), loaded.warnings, dict(seconds), loaded.sources)

        tell(so_far)
    started = clock()
    warnings: tuple[Diagnostic, ...] = ()
    stop: Unknown | None = None
    try:
        warnings = _empty(script, request.options)
        stop = _uncut(script, request.options.limits)
    except LimitReached as limit:
        stop = Unknown(limit.reason, _NOT_BEGUN)
    seconds["prepare"] = clock() - started
    begun = clock()
    made = list[Prepared]()
    results = _left(script.steps, stop) if stop is not None else _results(script, request.options, seconds, found, made)
    seconds["prove"] = clock() - begun - seconds.get("infer", 0.0)
    if request.chain is not None and results:
        results = (*results[:-1], _not_refuted(results[-1]))
    stage = made[0].stage if made else None
    return Answer(proof_of(script, results), warnings, loaded.warnings, seconds, loaded.sources, stage)


def _not_refuted(chained: StepResult) -> StepResult:
    """The last step of a chain that nobody wrote: that a condition of the rule fails refutes no claim of the user's."""
    if chained.verdict is not Verdict.REFUTED or chained.run is not None or chained.results:
        return chained
    why = Unknown(Reason.BOUND, "the links do not compose with what is related here: write a proof script")
    return replace(chained, verdict=Verdict.UNKNOWN, unknown=why, argument=None)


def _empty(script: Script, options: Options) -> tuple[Diagnostic, ...]:
    """Warnings about what cannot happen. Raises InputError for axioms from which anything follows."""
    bounds = options.limits
    found = [
        d for p in script.programs.values() for d in (*vacuity((p,), bounds), *joint_inductiveness.no_start(p, bounds))
    ]
    errors = tuple(d for d in (*found, *contradiction(script.axioms, bounds)) if d.severity is Severity.ERROR)
    if errors:
        raise InputError(tuple(dict.fromkeys(errors)))
    doubtful = doubt(script, bounds, options.seed)
    return tuple(dict.fromkeys((*found, *([doubtful] if doubtful is not None else []))))


def _uncut(script: Script, bounds: Limits) -> Unknown | None:
    """Why it is not known that written invariants leave all runs be. Raises InputError where they do not."""
    doubts = [_cut(program, script, bounds) for program in script.programs.values()]
    return next((Unknown(Reason.SOLVER, doubt) for doubt in doubts if doubt is not None), None)


def _cut(program: Program, script: Script, bounds: Limits) -> str | None:
    apart = any(declared(t) for t in program.threads)
    return (inductive.uncut if apart else joint_inductiveness.uncut)(program.threads, script.axioms, bounds)


def _results(
    script: Script, options: Options, seconds: dict[str, float], found: list[StepResult], made: list[Prepared]
) -> tuple[StepResult, ...]:
    """The results of all steps; `found` has those that are known at any time, `made` what they rest on."""
    started = clock()
    try:
        made.append(prepare(script, options))
        seconds["infer"] = clock() - started
        found.extend(run(made[0]))
        return tuple(found)
    except LimitReached as limit:
        stop = Unknown(limit.reason, _NOT_BEGUN)
    except MemoryError:
        stop = Unknown(Reason.MEMORY, _NOT_BEGUN)
    except NotGenerated as fault:
        if fault.certain:
            raise
        stop = Unknown(Reason.SOLVER, str(fault))
    return (*found, *_left(script.steps[len(found) :], stop))


def _left(steps: tuple[Step, ...], why: Unknown) -> tuple[StepResult, ...]:
    return tuple(StepResult(step, Verdict.UNKNOWN, "", (), (), why, 0.0) for step in steps)
