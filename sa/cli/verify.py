"""`sacheck verify`: what a program claims of itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer
from msgspec import Struct
from msgspec.structs import replace

from sa.base.limits import Limits
from sa.base.verdict import EXIT_STATUS, Reason, Unknown, Verdict
from sa.cli import c_options, options
from sa.cli.c_options import Searching
from sa.cli.options import Settings, engines_of
from sa.cli.output import screen, write, write_json
from sa.cli.record import with_options
from sa.cli.session import complain, decide, no_verdict, remark
from sa.cli.written import write_files
from sa.processes.guard import undisturbed

if TYPE_CHECKING:
    from sa.app.verify import Answer, VerifyRequest
    from sa.base.cache import Cache
    from sa.engines.portfolio_of_claims import Portfolio
    from sa.engines.runner import Reports
    from sa.engines.verify import Options
    from sa.report.document import Document

    SoFar: TypeAlias = Callable[[Unknown], Answer]


MainOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--main",
        metavar="THREAD",
        help="Begin with what one thread claims, and show what each thread needs of others for it.",
    ),
]


@with_options(Searching)
def verify(
    given: Searching,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The program.")],
    main: MainOption = None,
    rounds: options.RoundsOption = None,
    unwind: options.UnwindOption = None,
    schedule: options.ScheduleOption = None,
    export: options.ExportOption = None,
    no_reduction: options.ReductionOption = False,
    explain: options.ExplainOption = False,
    races: c_options.RacesOption = False,
    deadlock: c_options.DeadlockOption = False,
    only: c_options.PropertyOption = None,
    fair: c_options.FairOption = False,
    open_: options.OpenOption = False,
) -> None:
    """Prove or refute the invariants, assertions and guarantees of a program, in `.sa` or C.

    Exit status: 0 proved (or nothing claimed), 1 refuted, 2 wrong input, 3 unknown, 4 internal error.
    """
    _check_bounded(within := _Within(rounds, unwind, schedule), names := engines_of(given.engine), export, main)
    settings = given.settings_of((file,), {"--export": export})
    how = c_options.reading_to_verify(given, races, deadlock, only, open_, fair)

    def body(bounds: Limits) -> int:
        import sa.app.verify as app
        from sa.cli.watching import watched

        engines, ways, processes = _portfolio(within, names, main, given.jobs, no_reduction)
        with watched(given.watching(settings), partial(_decided, so_far)) as watch:
            asked = replace(_options(bounds, given, engines, watch.reports, processes), ways=ways)
            request = app.VerifyRequest(file, given.split, asked, how, settings.files.outputs, explain, main)
            if export is not None:
                return _exported(request, export, within)
            return _answer(request, app.verify(request, so_far.append), settings, given.certificate)

    so_far: list[SoFar] = []
    decide(settings, file, body, partial(_stopped, so_far, settings, file))


def _options(bounds: Limits, given: Searching, engines: Portfolio, reports: Reports | None, jobs: int) -> Options:
    from sa.engines.verify import Options

    return Options(bounds, given.seed, _memory(given.cache, engines), engines, reports, jobs)


def _memory(cache: bool, portfolio: Portfolio) -> Cache | None:
    """What was found before, which may be of other engines than some that were named."""
    from sa.app.cache import users_cache
    from sa.engines.portfolio_of_claims import CLAIMS

    return users_cache() if cache and portfolio is CLAIMS else None


def _portfolio(
    within: _Within, names: tuple[str, ...], main: str | None, jobs: int, no_reduction: bool
) -> tuple[Portfolio, tuple[str, ...] | None, int]:
    """The engines, those for infinite runs if any were named, and how many processes ask them.

    Alone, `bmc` has its runs parted among all processes. Raises InputError.
    """
    from sa.engines.portfolio_of_claims import CLAIMS, USUAL_BOUNDS, about, bounds_of, without_reduction

    parts, others = (jobs, 1) if within.is_alone(names) else (1, jobs)
    bounds = bounds_of(within.rounds, within.unwind, within.schedule, parts)
    if not names and bounds == USUAL_BOUNDS:
        every = CLAIMS if main is None else about(main)
        return (without_reduction(every) if no_reduction else every), None, others
    # Those for families are loaded where they may be named.
    from sa.engines.portfolio_of_families import named, named_for_infinite_runs

    chosen, ways = named(names, bounds), named_for_infinite_runs(names)
    return (without_reduction(chosen) if no_reduction else chosen), ways, others


def _exported(request: VerifyRequest, name: str, within: _Within) -> int:
    from sa.app.replace_file import replace_file
    from sa.app.verify import exported

    replace_file(name, exported(request, name.endswith(".c"), within.rounds or 1, within.unwind or 0))
    return EXIT_STATUS[Verdict.UNKNOWN]


def _answer(request: VerifyRequest, answer: Answer, settings: Settings, certificate: str | None) -> int:
    status = status_of(answer)
    if certificate is not None:
        from sa.app.certificate import verification_certificate
        from sa.app.replace_file import replace_file

        replace_file(certificate, verification_certificate(certificate, request, answer))
    # A limit that is reached meanwhile must not have the answer shown once more.
    with undisturbed(last=True):
        _show(answer, status, settings)
    return status


def _decided(so_far: list[SoFar]) -> str:
    """How many claims are decided."""
    from sa.cli.progress import decided_of

    if not so_far:
        return ""
    found = so_far[0](Unknown(Reason.INTERRUPTED)).outcome.findings
    return decided_of(sum(f.verdict is not Verdict.UNKNOWN for f in found), len(found), "claim")


def _stopped(so_far: list[SoFar], settings: Settings, file: str, reason: Reason, detail: str = "") -> int:
    if not so_far:
        return no_verdict(settings, file, reason, detail)
    return _told(so_far[0](Unknown(reason, detail)), settings)


def _told(answer: Answer, settings: Settings) -> int:
    status = status_of(answer)
    _show(answer, status, settings)
    return status


def _show(answer: Answer, status: int, settings: Settings) -> None:
    if settings.json or settings.files.any:
        from sa.report.verify_json import verification_json

        document = verification_json(answer.outcome, answer.noticed, status)
        write_files(settings, document, _page(answer))
        if settings.json:
            write_json(document)
            return
    from sa.report.terminal import show_document

    if not settings.quiet:
        complain(answer.outcome.warnings)
    write(show_document(_document(answer, settings), screen(), settings.quiet))
    remark(answer.noticed, settings, answer.outcome.program.source.name)


def _document(answer: Answer, settings: Settings) -> Document:
    """The answer, and how the threads were reduced where that was asked for."""
    from sa.report.verify import verification_document

    document = verification_document(answer.outcome, settings.why, settings.why)
    if answer.reduction is None:
        return document
    from sa.report.reduction import reduction_sections

    return replace(document, sections=(*document.sections, *reduction_sections(answer.reduction)))


def _page(answer: Answer) -> Callable[[], str]:
    def page() -> str:
        from sa.report.page import verification_page

        return verification_page(answer.outcome)

    return page


def status_of(answer: Answer) -> int:
    """The verdict's status; a proof where the file expects none is a failure too (decision 002)."""
    outcome = answer.outcome
    status = 0 if outcome.verdict is None else EXIT_STATUS[outcome.verdict]
    met = [
        outcome.expected in (None, outcome.verdict),
        *(f.claim.expect in (None, f.verdict) for f in outcome.findings),
    ]
    return status or (0 if all(met) else EXIT_STATUS[Verdict.REFUTED])


class _Within(Struct, frozen=True):
    """What the technique `bmc` is asked for: `schedule` is a text that can be read."""

    rounds: int | None
    unwind: int | None
    schedule: str | None

    @property
    def is_named(self) -> bool:
        """Whether a user named any of them."""
        return (self.rounds, self.unwind, self.schedule) != (None, None, None)

    def is_alone(self, engines: tuple[str, ...]) -> bool:
        """Whether no other engine is asked."""
        return engines == ("bmc",) or (self.is_named and not engines)


def _check_bounded(within: _Within, engines: tuple[str, ...], export: str | None, main: str | None) -> None:
    """That bounds, and a main thread, are given to the engine that they are for. Raises typer.BadParameter."""
    if main is not None and (engines or within.is_named):
        raise typer.BadParameter("`--main` goes without `--engine`, `--rounds`, `--unwind` and `--schedule`")
    if export is not None and (within.rounds is None or within.unwind is None):
        raise typer.BadParameter("`--export` needs both `--rounds` and `--unwind`")
    if within.is_named and engines and "bmc" not in engines:
        raise typer.BadParameter("`--rounds`, `--unwind` and `--schedule` are for `--engine bmc`")
    if within.schedule is None:
        return
    if within.rounds is not None or export is not None:
        raise typer.BadParameter("`--schedule` says how many rounds: it goes without `--rounds` and `--export`")
    from sa.engines.portfolio_of_claims import bounds_of

    try:
        bounds_of(None, None, within.schedule, 1)
    except ValueError as problem:
        raise typer.BadParameter(str(problem)) from None
