"""What all commands have in common: a body is run under limits, and its end becomes an exit status."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable

import typer

from sa.base.diagnostic import Diagnostic, InputError
from sa.base.limits import LimitReached, Limits
from sa.base.verdict import EXIT_INPUT, EXIT_INTERNAL, EXIT_STATUS, Reason, Unknown, Verdict
from sa.cli.guard import guarded
from sa.cli.options import Settings, limits_of
from sa.cli.output import screen, write, write_json

#: Seconds that an engine has after its deadline to end with what it knows.
_GRACE = 0.5


def run(settings: Settings, body: Callable[[], int]) -> None:
    """Run a command's body, which returns the exit status, and leave with that status."""
    raise typer.Exit(_status(settings, body, no_answer, 0.0))


def decide(settings: Settings, subject: str, body: Callable[[Limits], int]) -> None:
    """The same for a command that gives a verdict about `subject`, files as the user named them.

    The body gets the limits; it has a little longer to end with what it knows.
    """

    def stopped(settings: Settings, reason: Reason) -> int:
        return _no_verdict(settings, reason, subject)

    # The clock starts before the body's imports, which are part of what the user waits for.
    bounds = limits_of(settings)
    raise typer.Exit(_status(settings, lambda: body(bounds), stopped, _GRACE))


def _status(
    settings: Settings, body: Callable[[], int], stopped: Callable[[Settings, Reason], int], grace: float
) -> int:
    try:
        with guarded(settings, grace):
            return body()
    except InputError as wrong:
        return wrong_input(settings, wrong.diagnostics)
    except LimitReached as limit:
        return stopped(settings, limit.reason)
    except KeyboardInterrupt:
        return stopped(settings, Reason.INTERRUPTED)
    except MemoryError:
        return stopped(settings, Reason.MEMORY)
    except typer.BadParameter:
        raise
    except Exception as bug:
        return internal_error(bug, settings.json)


def wrong_input(settings: Settings, diagnostics: tuple[Diagnostic, ...]) -> int:
    """Report errors of the input."""
    if settings.json:
        from sa.report.json import diagnostics_json

        write_json(diagnostics_json(diagnostics, EXIT_INPUT))
    else:
        complain(diagnostics)
    return EXIT_INPUT


def complain(diagnostics: Iterable[Diagnostic]) -> None:
    """Diagnostics on standard error."""
    from sa.report.diagnostics import show_diagnostics

    write(show_diagnostics(tuple(diagnostics), screen(sys.stderr)), sys.stderr)


def no_answer(settings: Settings, reason: Reason) -> int:
    """Report that a command was stopped before its end."""
    if settings.json:
        from sa.report.json import stopped_json

        write_json(stopped_json(Unknown(reason)))
    else:
        write(f"UNKNOWN: {reason.value}\n", sys.stderr)
    return EXIT_STATUS[Verdict.UNKNOWN]


def _no_verdict(settings: Settings, reason: Reason, subject: str) -> int:
    """Report that a question was not decided: an answer, so that it stands where answers stand."""
    if settings.json:
        return no_answer(settings, reason)
    from sa.report.terminal import show_stopped

    write(show_stopped(Unknown(reason), subject, screen()))
    return EXIT_STATUS[Verdict.UNKNOWN]


def count_warnings(count: int, *paths: str) -> None:
    """On standard error: warnings about the files are shown at length by `check`."""
    if count:
        warnings = "1 warning" if count == 1 else f"{count} warnings"
        write(f"{warnings} about the files: sacheck check {shlex.join(paths)}\n", sys.stderr)


def internal_error(bug: Exception, json: bool = False) -> int:
    """Report a bug of sacheck itself: short, and with what a maintainer needs."""
    if os.environ.get("SACHECK_TRACEBACK") == "1":
        import traceback

        traceback.print_exception(bug)
    what = f"{type(bug).__name__}: {bug}" if str(bug) else type(bug).__name__
    if json:
        from sa.report.json import internal_error_json

        write_json(internal_error_json(what))
    command = shlex.join(["sacheck", *sys.argv[1:]])
    text = (
        f"sacheck: internal error: {what}\n"
        "This is a bug in sacheck, and no answer about your program.\n"
        "Please report it with your input files and the output of\n"
        f"  SACHECK_TRACEBACK=1 {command}\n"
    )
    write(text, sys.stderr)
    return EXIT_INTERNAL
