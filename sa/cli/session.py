"""What all commands have in common: a body is run under limits, and its end becomes an exit status."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable

import typer

from sa.base.diagnostic import Diagnostic, InputError
from sa.base.limits import LimitReached
from sa.base.verdict import EXIT_INPUT, EXIT_INTERNAL, EXIT_STATUS, Reason, Unknown, Verdict
from sa.cli.guard import guarded
from sa.cli.options import Settings
from sa.cli.output import screen, write, write_json


def run(settings: Settings, body: Callable[[], int], grace: float = 0.0) -> None:
    """Run a command's body, which returns the exit status, and leave with that status."""
    raise typer.Exit(_status(settings, body, grace))


def _status(settings: Settings, body: Callable[[], int], grace: float) -> int:
    try:
        with guarded(settings, grace):
            return body()
    except InputError as wrong:
        return wrong_input(settings, wrong.diagnostics)
    except LimitReached as limit:
        return no_answer(settings, limit.reason)
    except KeyboardInterrupt:
        return no_answer(settings, Reason.INTERRUPTED)
    except MemoryError:
        return no_answer(settings, Reason.MEMORY)
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
