"""`sacheck prove`: a proof script."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from sa.base.limits import LimitReached
from sa.base.verdict import EXIT_STATUS, Reason, Unknown, Verdict
from sa.cli.guard import undisturbed
from sa.cli.options import (
    JsonOption,
    MemoryOption,
    QuietOption,
    SeedOption,
    Settings,
    SplitOption,
    TimeoutOption,
    limits_of,
)
from sa.cli.output import screen, write, write_json
from sa.cli.session import complain, run

if TYPE_CHECKING:
    from sa.app.prove import Answer, ProveRequest

#: Seconds that the engine has after its deadline to end with what it knows.
_GRACE = 0.5


def prove(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The proof script.")],
    split: SplitOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    seed: SeedOption = 0,
) -> None:
    """Check the steps of a proof script, side conditions and all.

    Exit status: 0 all steps proved, 1 a step or a side condition refuted, 2 wrong input, 3 not settled, 4 internal
    error.
    """
    settings = Settings(json, quiet, timeout, memory)

    def body() -> int:
        # The clock starts before the imports, which are part of what the user waits for.
        bounds = limits_of(settings)
        from sa.app.prove import ProveRequest
        from sa.refinement.options import Options

        return _answer(ProveRequest(file, split, Options(bounds, seed)), settings)

    run(settings, body, _GRACE)


def _answer(request: ProveRequest, settings: Settings) -> int:
    from sa.app.prove import prove as decide

    try:
        answer = decide(request)
    except LimitReached as limit:
        return _stopped(Unknown(limit.reason), request.path, settings)
    except MemoryError:
        return _stopped(Unknown(Reason.MEMORY), request.path, settings)
    status = status_of(answer)
    with undisturbed():
        _show(answer, status, settings)
    return status


def _stopped(unknown: Unknown, path: str, settings: Settings) -> int:
    if settings.json:
        from sa.report.json import stopped_json

        write_json(stopped_json(unknown))
    else:
        from sa.report.terminal import show_stopped

        write(show_stopped(unknown, path, screen()))
    return EXIT_STATUS[Verdict.UNKNOWN]


def _show(answer: Answer, status: int, settings: Settings) -> None:
    if settings.json:
        from sa.report.prove_json import proof_json

        write_json(proof_json(answer.proof, (*answer.warnings, *answer.noticed), answer.seconds, status))
        return
    from sa.report.prove import show_proof

    if not settings.quiet:
        complain(answer.warnings)
    write(show_proof(answer.proof, answer.seconds, screen(), settings.quiet))
    if answer.noticed and not settings.quiet:
        count = "1 warning" if len(answer.noticed) == 1 else f"{len(answer.noticed)} warnings"
        path = shlex.quote(answer.proof.script.source.name)
        write(f"{count} about the files: sacheck check {path}\n", sys.stderr)


def status_of(answer: Answer) -> int:
    """The verdict's status; a proof where the script expects none is a failure too (decision 002)."""
    proof = answer.proof
    met = [proof.script.expect in (None, proof.verdict), *(s.step.expect in (None, s.verdict) for s in proof.steps)]
    return EXIT_STATUS[proof.verdict] or (0 if all(met) else EXIT_STATUS[Verdict.REFUTED])
