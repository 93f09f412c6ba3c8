"""`sacheck prove`: a proof script."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from sa.base.limits import Limits
from sa.base.verdict import EXIT_STATUS, Reason, Unknown, Verdict
from sa.cli.options import Asking, Settings, watching_of
from sa.cli.output import screen, write, write_json
from sa.cli.record import with_options
from sa.cli.session import complain, decide, no_verdict, remark
from sa.cli.written import write_files
from sa.processes.guard import undisturbed

if TYPE_CHECKING:
    from sa.app.prove import Answer, ProveRequest

    SoFar: TypeAlias = Callable[[Unknown], Answer]


JobsOption: TypeAlias = Annotated[
    int, typer.Option("--jobs", "-j", metavar="N", min=1, max=256, help="The number of steps to work on at once.")
]


@with_options(Asking)
def prove(
    given: Asking,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The proof script.")],
    jobs: JobsOption = 1,
) -> None:
    """Check the steps of a proof script, side conditions and all.

    Exit status: 0 all steps proved, 1 a step or a side condition refuted, 2 wrong input, 3 not settled, 4 internal
    error.
    """

    def request_of(bounds: Limits) -> ProveRequest:
        from sa.app.cache import users_cache
        from sa.app.prove import ProveRequest
        from sa.engines.options import Options

        asked = Options(bounds, given.seed, jobs, cache=users_cache() if given.cache else None)
        return ProveRequest(file, given.split, asked, outputs=settings.files.outputs)

    settings = given.settings_of((file,))
    follow(request_of, file, given.certificate, settings)


def follow(
    request_of: Callable[[Limits], ProveRequest], name: str, certificate: str | None, settings: Settings
) -> None:
    """Go through a script, show the proof as far as it goes, and end with its status."""

    def body(bounds: Limits) -> int:
        return _answer(request_of(bounds), settings, certificate, so_far)

    def stopped(reason: Reason, detail: str = "") -> int:
        if not so_far:
            return no_verdict(settings, name, reason, detail)
        answer = so_far[0](Unknown(reason, detail))
        status = status_of(answer)
        _show(answer, status, settings)
        return status

    so_far: list[SoFar] = []
    decide(settings, name, body, stopped)


def _answer(request: ProveRequest, settings: Settings, certificate: str | None, so_far: list[SoFar]) -> int:
    from sa.app.prove import prove as work
    from sa.cli.watching import watched

    with watched(watching_of(settings, None, False), partial(_decided, so_far)):
        answer = work(request, so_far.append)
    status = status_of(answer)
    if certificate is not None:
        from sa.app.certificate import proof_certificate
        from sa.app.replace_file import replace_file

        # An answer that is shown has its certificate.
        replace_file(certificate, proof_certificate(certificate, request, answer))
    with undisturbed(last=True):
        _show(answer, status, settings)
    return status


def _decided(so_far: list[SoFar]) -> str:
    """How many steps are decided."""
    from sa.cli.progress import decided_of

    if not so_far:
        return ""
    steps = so_far[0](Unknown(Reason.INTERRUPTED)).proof.steps
    return decided_of(sum(s.verdict is not Verdict.UNKNOWN for s in steps), len(steps), "step")


def _show(answer: Answer, status: int, settings: Settings) -> None:
    if settings.json or settings.files.any:
        from sa.report.prove_json import proof_json

        document = proof_json(answer.proof, (*answer.warnings, *answer.noticed), answer.seconds, status)
        write_files(settings, document, _page(answer))
        if settings.json:
            write_json(document)
            return
    from sa.report.prove import proof_document
    from sa.report.terminal import show_document

    if not settings.quiet:
        complain(answer.warnings)
    write(show_document(proof_document(answer.proof, answer.seconds, settings.why), screen(), settings.quiet))
    remark(answer.noticed, settings, answer.proof.script.source.name)


def _page(answer: Answer) -> Callable[[], str]:
    def page() -> str:
        from sa.report.page import proof_page

        return proof_page(answer.proof, answer.seconds)

    return page


def status_of(answer: Answer) -> int:
    """The verdict's status; a proof where the script expects none is a failure too (decision 002)."""
    proof = answer.proof
    met = [proof.script.expect in (None, proof.verdict), *(s.step.expect in (None, s.verdict) for s in proof.steps)]
    return EXIT_STATUS[proof.verdict] or (0 if all(met) else EXIT_STATUS[Verdict.REFUTED])
