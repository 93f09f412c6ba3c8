"""`sacheck refine --weakest-rely`: the weakest environment in which the concrete threads refine the abstract ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer
from msgspec.structs import replace

from sa.base.limits import Limits
from sa.base.verdict import EXIT_STATUS, Reason, Unknown, Verdict, worst_status
from sa.cli.options import Files, Settings, Watching
from sa.cli.output import screen, write, write_json
from sa.cli.session import count_warnings, decide
from sa.frontends.reading import Reading

if TYPE_CHECKING:
    from sa.app.refine import RefineRequest
    from sa.app.weakest import Answer


def find(
    paths: tuple[str, ...],
    split: bool,
    how: Reading,
    settings: Settings,
    watching: Watching,
    seed: int,
    preserve: str | None,
) -> None:
    """Find the environments, show them, and end with the status of the worst answer."""
    answers: list[Answer] = []

    def body(bounds: Limits) -> int:
        from sa.app.refine import RefineRequest
        from sa.engines.options import Options

        _answer(
            RefineRequest(paths, split, Options(bounds, seed), reading=how, preserve=preserve),
            answers,
            settings,
            watching,
        )
        return _end(answers, None, settings, paths)

    def stopped(reason: Reason, detail: str = "") -> int:
        return _end(answers, Unknown(reason, detail), settings, paths)

    decide(settings, " and ".join(paths), body, stopped)


def _answer(request: RefineRequest, answers: list[Answer], settings: Settings, watching: Watching) -> None:
    """Put the answers where they belong, each as soon as it is known."""
    from sa.app.weakest import weakest_relies
    from sa.cli.watching import watched
    from sa.report.terminal import show_document
    from sa.report.weakest import weakest_document

    with watched(watching) as watch:
        for answer in weakest_relies(replace(request, options=replace(request.options, reports=watch.reports))):
            answers.append(answer)
            if not settings.json:
                with watch.aside():
                    text, proposal = answer.concrete, answer.proposal
                    document = weakest_document(answer.found, text, answer.seconds, proposal, settings.why)
                    write(show_document(document, screen(), settings.quiet))


def _end(answers: list[Answer], unknown: Unknown | None, settings: Settings, paths: tuple[str, ...]) -> int:
    """Say what is left to say; the exit status is that of the worst answer."""
    verdicts = [*(a.found.verdict for a in answers), *([Verdict.UNKNOWN] if unknown else [])]
    worst = next((v for v in (Verdict.REFUTED, Verdict.UNKNOWN) if v in verdicts), Verdict.PROVED)
    status = worst_status([EXIT_STATUS[v] for v in verdicts])
    noticed = tuple(dict.fromkeys(d for a in answers for d in a.noticed))
    if settings.json:
        from sa.report.weakest_json import weakest_json

        found = [(a.found, a.abstract, a.concrete, a.seconds, a.proposal) for a in answers]
        write_json(weakest_json(found, unknown, noticed, worst, status))
        return status
    if unknown is not None:
        from sa.report.refine import stopped_document
        from sa.report.terminal import show_document

        write(show_document(stopped_document(unknown, " and ".join(paths)), screen(), settings.quiet))
    if not settings.quiet:
        count_warnings(len(noticed), *paths)
    return status


def check_weakest(weakest: bool, files: Files, others: Mapping[str, object]) -> None:
    """That `--weakest-rely` has no options that it has no use for. Raises typer.BadParameter."""
    written = {"certificate": files.others["--certificate"], "report": files.report, "sarif": files.sarif}
    unfit = next((n for n, given in {**others, **written, "junit": files.junit}.items() if given), None)
    if weakest and unfit is not None:
        raise typer.BadParameter(f"`--weakest-rely` and `--{unfit}` exclude each other")
