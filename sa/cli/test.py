"""`sacheck test`: are all files of a project answered as they expect?"""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from sa.base.clock import clock
from sa.base.diagnostic import InputError, error
from sa.cli.options import Many, Settings, watching_of
from sa.cli.output import screen, write, write_json
from sa.cli.record import with_options
from sa.cli.session import check_outputs, run
from sa.cli.written import write_facts


@with_options(Many)
def ask_all(
    given: Many,
    paths: Annotated[list[str] | None, typer.Argument(metavar="[PATH]...", help="Files and folders.")] = None,
) -> None:
    """Ask all files that say what they expect.

    Without PATH those in this folder and below it.

    Exit status: 0 all as expected, 1 another verdict, 2 wrong input, 3 unknown, 4 internal error.
    """
    settings = given.settings_of_all()
    check_outputs(settings, paths or ())
    run(settings, lambda: _test(tuple(paths or (".",)), given, settings))


def _test(paths: tuple[str, ...], given: Many, settings: Settings) -> int:
    from sa.app.suite import suite_of
    from sa.cli.progress import answered_of
    from sa.cli.watching import watched
    from sa.processes.commands import run_all
    from sa.report.suite import Tested, show_case, show_counts, suite_json, suite_status, tested

    started = clock()
    suite = suite_of(paths)
    if not suite.questions:
        message = f"no file in {', '.join(f'`{p}`' for p in paths)} says what it expects"
        hint = "write `expect proved;` into a file, or `// expect: proved` into a C program"
        raise InputError((error("SA916", message, None, hint),))
    commands = [(q.command.value, "--json", *given.of_each, *q.options, "--", *q.paths) for q in suite.questions]
    cases = list[Tested]()
    of_all = partial(answered_of, cases, len(suite.questions))
    with watched(watching_of(settings, None, False), of_all) as watch:
        for question, done in zip(suite.questions, run_all(commands, given.jobs), strict=True):
            case = tested(
                (question.command.value, *question.options),
                question.paths,
                question.expected,
                done.out,
                done.err,
                done.status,
                done.seconds,
            )
            cases.append(case)
            if not settings.json and not (settings.quiet and case.met):
                with watch.aside():
                    write(show_case(case, screen()))
    seconds = clock() - started
    write_facts(settings, [case.facts for case in cases])
    if settings.json:
        write_json(suite_json(cases, suite.silent, seconds))
    else:
        write(show_counts(cases, len(suite.silent), seconds, screen()))
    return suite_status(cases)
