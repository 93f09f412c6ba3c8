"""`sacheck test`: are all files of a project answered as they expect?"""

from __future__ import annotations

from typing import Annotated

import typer

from sa.base.clock import clock
from sa.base.diagnostic import InputError, error
from sa.cli.options import Files, JsonOption, JunitOption, MemoryOption, QuietOption, SarifOption, Settings
from sa.cli.output import screen, write, write_json
from sa.cli.session import check_outputs, run
from sa.cli.written import write_facts

#: Seconds for one question where nothing is said of it.
USUAL = 60.0


def ask_all(
    paths: Annotated[list[str] | None, typer.Argument(metavar="[PATH]...", help="Files and folders.")] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", min=1, max=256, help="The number of questions asked at once.")
    ] = 1,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="Stop a question after this time; its answer is UNKNOWN.")
    ] = USUAL,
    memory: MemoryOption = None,
    sarif: SarifOption = None,
    junit: JunitOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Ask all files that say what they expect.

    Without PATH those in this folder and below it.

    Exit status: 0 all as expected, 1 another verdict, 2 wrong input, 3 unknown, 4 internal error.
    """
    settings = Settings(json, quiet, None, memory, Files(sarif, junit))
    check_outputs(settings, paths or ())
    run(settings, lambda: _test(tuple(paths or (".",)), jobs, timeout, settings))


def _test(paths: tuple[str, ...], jobs: int, timeout: float, settings: Settings) -> int:
    from sa.app.suite import suite_of
    from sa.processes.commands import run_all
    from sa.report.suite import Tested, show_case, show_counts, suite_json, suite_status, tested

    started = clock()
    suite = suite_of(paths)
    if not suite.questions:
        message = f"no file in {', '.join(f'`{p}`' for p in paths)} says what it expects"
        hint = "write `expect proved;` into a file, or `// expect: proved` into a C program"
        raise InputError((error("SA916", message, None, hint),))
    common = ["--json", "--timeout", str(timeout)]
    common += [] if settings.memory is None else ["--memory", str(settings.memory)]
    commands = [(q.command.value, *common, *q.options, "--", *q.paths) for q in suite.questions]
    cases = list[Tested]()
    for question, done in zip(suite.questions, run_all(commands, jobs), strict=True):
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
            write(show_case(case, screen()))
    seconds = clock() - started
    write_facts(settings, [case.facts for case in cases])
    if settings.json:
        write_json(suite_json(cases, suite.silent, seconds))
    else:
        write(show_counts(cases, len(suite.silent), seconds, screen()))
    return suite_status(cases)
