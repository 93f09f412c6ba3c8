"""`sacheck refine --weakest-rely`: the weakest environment in which the concrete threads refine the abstract ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from sa.base.verdict import EXIT_STATUS, Unknown, Verdict, worst_status
from sa.cli.options import Settings, Watching
from sa.cli.output import screen, write, write_json
from sa.cli.session import count_warnings

if TYPE_CHECKING:
    from sa.app.refine import RefineRequest
    from sa.app.weakest import Answer


def answer_weakest(request: RefineRequest, answers: list[Answer], settings: Settings, watching: Watching) -> None:
    """Put the answers where they belong, each as soon as it is known."""
    from sa.app.weakest import weakest_relies
    from sa.cli.watching import watched
    from sa.report.weakest import show_weakest

    with watched(watching) as watch:
        for answer in weakest_relies(replace(request, options=replace(request.options, reports=watch.reports))):
            answers.append(answer)
            if not settings.json:
                with watch.aside():
                    text = show_weakest(answer.found, answer.concrete, answer.seconds, screen(), settings.quiet)
                    write(text)


def end_weakest(answers: list[Answer], unknown: Unknown | None, settings: Settings, paths: tuple[str, ...]) -> int:
    """Say what is left to say; the exit status is that of the worst answer."""
    verdicts = [*(a.found.verdict for a in answers), *([Verdict.UNKNOWN] if unknown else [])]
    worst = next((v for v in (Verdict.REFUTED, Verdict.UNKNOWN) if v in verdicts), Verdict.PROVED)
    status = worst_status([EXIT_STATUS[v] for v in verdicts])
    noticed = tuple(dict.fromkeys(d for a in answers for d in a.noticed))
    if settings.json:
        from sa.report.weakest_json import weakest_json

        found = [(a.found, a.abstract, a.concrete, a.seconds) for a in answers]
        write_json(weakest_json(found, unknown, noticed, worst, status))
        return status
    if unknown is not None:
        from sa.report.terminal import show_stopped

        write(show_stopped(unknown, " and ".join(paths), screen(), settings.quiet))
    if not settings.quiet:
        count_warnings(len(noticed), *paths)
    return status
