"""`sacheck refine`: the main job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sa.base.diagnostic import error
from sa.base.limits import Limits
from sa.base.verdict import EXIT_INPUT, EXIT_STATUS, Reason, Unknown, Verdict, worst_status
from sa.cli import c_options, options
from sa.cli.c_options import Searching
from sa.cli.chain import refine_chain
from sa.cli.options import Files, Settings
from sa.cli.output import answered, screen, write, write_json
from sa.cli.record import with_options
from sa.cli.session import complain, decide, remark
from sa.cli.weakest import check_weakest, find
from sa.cli.written import write_files
from sa.frontends.reading import USUAL, Reading
from sa.processes.guard import undisturbed

if TYPE_CHECKING:
    from sa.app.refine import Answer, RefineRequest, Relate
    from sa.cli.watching import Watch
    from sa.engines.options import Options
    from sa.engines.outcome import Outcome


@with_options(Searching)
def refine(
    given: Searching,
    abstract: options.AbstractArgument,
    concrete: options.ConcreteArgument = None,
    further: options.FurtherArgument = None,
    chain: options.ChainOption = False,
    script: options.ScriptOption = None,
    infer: options.InferOption = False,
    whole: options.WholeOption = False,
    preserve: options.PreserveOption = None,
    weakest_rely: options.WeakestRelyOption = False,
    function: c_options.FunctionOption = None,
    plain: c_options.PlainOption = None,
    finite: c_options.FiniteOption = True,
) -> None:
    """Prove or refute that concrete threads refine abstract ones.

    Exit status: 0 proved, 1 refuted, 2 wrong input, 3 unknown, 4 internal error.
    """
    paths = tuple(p for p in (abstract, concrete, *(further or ())) if p is not None)
    kept = None if preserve is None else preserve.value
    settings = given.settings_of(paths, {"--script": script})
    how = c_options.reading_to_compare(given, function, plain, finite)
    wanted = {"whole": whole, "engine": given.engine is not None, "jobs": given.jobs > 1}
    wanted |= {"trace": given.trace is not None, "profile": given.profile}
    wanted |= {"infer-relate": infer, "weakest-rely": weakest_rely, "chain": chain}
    _check(paths, how, script, preserve, settings, wanted)
    if chain:
        refine_chain(paths, script, given, settings)
    elif weakest_rely:
        find(paths, given.split, how, settings, given.watching(settings), given.seed, kept)
    else:

        def request(bounds: Limits) -> RefineRequest:
            asked = _request(paths, given, _options(bounds, given.seed, whole, given.jobs), how, settings.files)
            relate = _relate(infer, settings, whole or given.engine is not None or preserve is not None, how)
            return replace(asked, relate=relate, preserve=kept)

        ask(paths, request, given.certificate, settings, given.watching(settings))


def _check(
    paths: tuple[str, ...],
    how: Reading,
    script: str | None,
    preserve: options.Preserve | None,
    settings: Settings,
    given: Mapping[str, bool],
) -> None:
    """That the options go together. Raises typer.BadParameter."""
    options.check_inferring(given["infer-relate"], settings.files.others["--certificate"])
    others = {name: given[name] for name in ("chain", "weakest-rely", "infer-relate")}
    options.check_chained(given["chain"], len(paths), script, {n: g for n, g in given.items() if n != "chain"})
    options.check_preserving(preserve, others)
    c_options.check_reading(how, paths, others)
    narrowed = {name: given[name] for name in ("whole", "engine", "jobs")}
    narrowed |= {"plain permissions": how.plain != USUAL.plain}
    check_weakest(given["weakest-rely"], settings.files, narrowed)


def ask(
    paths: tuple[str, ...],
    asked: Callable[[Limits], RefineRequest],
    certificate: str | None,
    settings: Settings,
    watching: options.Watching,
) -> None:
    """Ask, show the answers, write them down, and end with the status of the worst one."""
    answers: list[Answer] = []
    shown: list[Answer] = []
    written = False

    def show() -> None:
        # A limit that is reached meanwhile waits: an answer is shown whole.
        with undisturbed():
            for answer in answers[len(shown) :]:
                shown.append(answer)
                if not settings.json:
                    _show(answer.outcome, settings)
                    _shown(answers, certificate is None, settings)

    def body(bounds: Limits) -> int:
        nonlocal written
        from sa.cli.watching import watched

        with watched(watching) as watch:
            request = asked(bounds)
            # With a certificate an answer is shown when that is written.
            _answer(request, answers, show if certificate is None else _nothing, watch)
        if certificate is not None:
            _certify(certificate, request, answers)
            written = True
        with undisturbed(last=True):
            show()
            return _end(answers, None, settings, paths)

    def stopped(reason: Reason, detail: str = "") -> int:
        show()
        complete = bool(answers) and answers[-1].last
        status = _end(answers, None if complete else Unknown(reason, detail), settings, paths)
        if certificate is None or written or not complete:
            return status
        message = f"cannot write `{certificate}`: {reason.value}"
        complain((error("SA903", message, None, "the answer does not depend on the certificate"),))
        return EXIT_INPUT

    decide(settings, " and ".join(paths), body, stopped)


def _shown(answers: list[Answer], first: bool, settings: Settings) -> None:
    """If this was the last answer, there is no other one, whatever becomes of the files that are written then."""
    if answers[-1].last and first:
        lost = "error SA903: a limit was reached before all files were written\n" if settings.files.any else ""
        status = worst_status([status_of(a.outcome) for a in answers])
        answered(EXIT_INPUT if lost else status, lost)


def _nothing() -> None:
    """What is shown of an answer that is not to be shown yet."""


def _options(bounds: Limits, seed: int, whole: bool, jobs: int) -> Options:
    from sa.engines.options import Options

    return Options(bounds, seed, jobs, whole)


def _request(paths: tuple[str, ...], given: Searching, asked: Options, how: Reading, files: Files) -> RefineRequest:
    """What is asked of `paths`, of all engines or some."""
    from sa.app.cache import users_cache
    from sa.app.refine import RefineRequest
    from sa.engines.portfolio_of_goals import known

    engines = known(options.engines_of(given.engine))
    # What was found before may be of other engines.
    kept = users_cache() if given.cache and not engines else None
    asked = replace(asked, cache=kept, engines=engines)
    evidence = files.others.get("--certificate") is not None
    return replace(RefineRequest(paths, given.split, asked), reading=how, outputs=files.outputs, evidence=evidence)


def _relate(infer: bool, settings: Settings, chosen: bool, how: Reading) -> Relate:
    """What to do where the relation fails. Asked for a verdict alone nobody wants to hear of another question."""
    from sa.app.refine import Relate

    curt = settings.quiet and settings.files.report is None
    # The relation of functions alone is no user's business.
    given = curt or chosen or how.function is not None or how.plain != USUAL.plain
    return Relate.INFER if infer else Relate.AS_ASKED if given else Relate.PROPOSE


def _certify(certificate: str, request: RefineRequest, answers: list[Answer]) -> None:
    from sa.app.certificate import refinement_certificate
    from sa.app.replace_file import replace_file

    replace_file(certificate, refinement_certificate(certificate, request, answers))


def _answer(request: RefineRequest, answers: list[Answer], show: Callable[[], None], watch: Watch) -> None:
    """Put the answers where they belong, and show each as soon as it is known."""
    from sa.app.refine import refine as work

    for answer in work(replace(request, options=replace(request.options, reports=watch.reports))):
        answers.append(answer)
        with watch.aside():
            show()


def _end(answers: list[Answer], unknown: Unknown | None, settings: Settings, paths: tuple[str, ...]) -> int:
    """Say what is left to say when all answers are shown that there are; `unknown` says why there are no more."""
    stopped = [EXIT_STATUS[Verdict.UNKNOWN]] if unknown else []
    status = worst_status([*(status_of(a.outcome) for a in answers), *stopped])
    noticed = tuple(dict.fromkeys(d for a in answers for d in a.noticed))
    if settings.json or settings.files.any:
        from sa.report.outcome_json import outcomes_json

        document = outcomes_json([a.outcome for a in answers], unknown, noticed, status)
        write_files(settings, document, _page(answers, unknown, settings))
        if settings.json:
            write_json(document)
            return status
    if unknown is not None:
        from sa.report.refine import stopped_document
        from sa.report.terminal import show_document

        write(show_document(stopped_document(unknown, " and ".join(paths)), screen(), settings.quiet))
    remark(noticed, settings, *paths)
    return status


def _page(answers: list[Answer], unknown: Unknown | None, settings: Settings) -> Callable[[], str]:
    """The report of all answers; `unknown` says why there are no more."""

    def page() -> str:
        from sa.report.page import refinement_page, stopped_page

        if not answers and unknown is not None:
            return stopped_page(unknown, settings.files.subject)
        return refinement_page([a.outcome for a in answers], unknown)

    return page


def _show(outcome: Outcome, settings: Settings) -> None:
    from sa.report.refine import refinement_document
    from sa.report.terminal import show_document

    if not settings.quiet:
        complain(outcome.warnings)
    write(show_document(refinement_document(outcome, settings.why, settings.why), screen(), settings.quiet))


def status_of(outcome: Outcome) -> int:
    """The verdict's status; a proof where the file expects no proof is a failure too (decision 002)."""
    status = EXIT_STATUS[outcome.verdict]
    unexpected = outcome.expected not in (None, outcome.verdict)
    return worst_status([status, EXIT_STATUS[Verdict.REFUTED]]) if unexpected and status == 0 else status
