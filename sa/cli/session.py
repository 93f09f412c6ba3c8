"""What all commands have in common: a body is run under limits, and its end becomes an exit status."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING

import typer

from sa.base.diagnostic import Diagnostic, InputError
from sa.base.limits import LimitReached, Limits
from sa.base.verdict import EXIT_INPUT, EXIT_INTERNAL, EXIT_STATUS, Reason, Unknown, Verdict
from sa.cli.asked import ASKED, shared
from sa.cli.options import Settings, limits_of, memory_of
from sa.cli.output import answered, screen, write, write_json
from sa.cli.written import write_files
from sa.frontends.reading import is_c
from sa.processes.guard import guarded

if TYPE_CHECKING:
    from sa.processes.supervisor import Stopped

#: Seconds that an engine has after its deadline to end with what it knows, where no worker can be killed.
_GRACE = 0.5

#: Whether commands may start a worker: in a process of their own, and not where they are called as functions.
WORKERS: ContextVar[bool] = ContextVar("WORKERS", default=False)


def run(settings: Settings, body: Callable[[], int]) -> None:
    """Run a command's body, which returns the exit status, and leave with that status."""
    raise typer.Exit(_guarded(settings, body, partial(no_answer, settings), 0.0))


def work(settings: Settings, body: Callable[[Limits], int], stopped: Stopped | None = None) -> None:
    """The same in a worker, which limits can end whatever it is at (decision 006); the body gets the limits.

    `stopped` says what is known so far, and why there is no more. It may be called while the body is still running.
    """
    tell = stopped or partial(no_answer, settings)
    check_outputs(settings, settings.files.inputs)
    if WORKERS.get():
        from sa.processes.group import age
        from sa.processes.supervisor import can_supervise, supervise

        if can_supervise():
            # The clock starts with the process: imports are part of what the user waits for.
            bounds = limits_of(settings, age())
            if bounds != Limits():
                # What both processes may have to say when there is no time left to import anything.
                if settings.json:
                    import sa.report.outcome_json
                else:
                    import sa.report.refine
                    import sa.report.terminal  # noqa: F401
            asked = shared()
            ASKED.set(asked)

            def ended(reason: Reason, detail: str = "") -> int:
                # Another thread may say it, which knows nothing of this one.
                ASKED.set(asked)
                status = tell(reason, detail)
                if not settings.json:
                    # What is left behind may take long to be freed: that is no reason to say it again.
                    answered(status)
                return status

            with suppress(BlockingIOError):
                finished = partial(_ended, settings, ended)
                raise typer.Exit(supervise(bounds, body, ended, finished, write, settings.json))
    bounds = limits_of(settings)
    raise typer.Exit(_guarded(settings, lambda: body(bounds), tell, _GRACE))


def check_outputs(settings: Settings, inputs: Iterable[str]) -> None:
    """Leave with an error, before any work, where what a command writes would replace what it reads."""
    if not settings.files.outputs:
        return
    from sa.app.outputs import refuse_loss

    try:
        refuse_loss(settings.files.outputs, inputs)
    except InputError as wrong:
        raise typer.Exit(wrong_input(settings, wrong.diagnostics)) from None


def decide(settings: Settings, subject: str, body: Callable[[Limits], int], stopped: Stopped | None = None) -> None:
    """The same for a command that gives a verdict about `subject`, files as the user named them."""
    work(settings, body, stopped or partial(no_verdict, settings, subject))


def _guarded(settings: Settings, body: Callable[[], int], stopped: Stopped, grace: float) -> int:
    def inside() -> int:
        with guarded(settings.timeout, memory_of(settings), grace):
            return body()

    return _ended(settings, stopped, inside)


def _ended(settings: Settings, stopped: Stopped, body: Callable[[], int]) -> int:
    """Every end of a body as a status."""
    try:
        return body()
    except InputError as wrong:
        return wrong_input(settings, wrong.diagnostics)
    except LimitReached as limit:
        return stopped(limit.reason)
    except KeyboardInterrupt:
        return stopped(Reason.INTERRUPTED)
    except MemoryError:
        return stopped(Reason.MEMORY)
    except typer.BadParameter:
        raise
    except Exception as bug:
        return internal_error(bug, settings.json)


def wrong_input(settings: Settings, diagnostics: tuple[Diagnostic, ...]) -> int:
    """Report errors of the input."""
    if settings.json or settings.files.any:
        from sa.report.json import diagnostics_json

        document = diagnostics_json(diagnostics, EXIT_INPUT)
        # If this is about such a file, it cannot be told there.
        with suppress(InputError):
            _refuse_loss(settings, diagnostics)
            write_files(settings, document)
        if settings.json:
            write_json(document)
    if not settings.json:
        complain(diagnostics)
    return EXIT_INPUT


def _refuse_loss(settings: Settings, diagnostics: tuple[Diagnostic, ...]) -> None:
    """Raises InputError where the files for an answer are what it is about, however that was read."""
    if not settings.files.outputs:
        return
    from sa.app.outputs import DESTROYS, refuse_loss

    spoken = [d.span.source.name for d in diagnostics if d.span is not None]
    refuse_loss(settings.files.outputs, (*settings.files.inputs, *spoken))
    if any(d.code == DESTROYS for d in diagnostics):
        raise InputError(diagnostics)


def complain(diagnostics: Iterable[Diagnostic]) -> None:
    """Diagnostics on standard error."""
    from sa.report.diagnostics import show_diagnostics

    write(show_diagnostics(tuple(diagnostics), screen(sys.stderr)), sys.stderr)


def no_answer(settings: Settings, reason: Reason, detail: str = "") -> int:
    """Report that a command was stopped before its end."""
    unknown = Unknown(reason, detail)
    _write_stopped(settings, unknown)
    if settings.json:
        from sa.report.json import stopped_json

        write_json(stopped_json(unknown))
    else:
        write(f"UNKNOWN: {reason.value}{': ' if detail else ''}{detail}\n", sys.stderr)
    return EXIT_STATUS[Verdict.UNKNOWN]


def _so_far(detail: str) -> str:
    """What is known of a worker that says no more: which engines it asked."""
    asked = ASKED.get()
    names = [] if asked is None else asked.names()
    engines = (
        f"the engine{'' if len(names) == 1 else 's'} {', '.join(names)} {'was' if len(names) == 1 else 'were'} asked"
    )
    return "; ".join([*([detail] if detail else []), *([engines] if names else [])])


def no_verdict(settings: Settings, subject: str, reason: Reason, detail: str = "") -> int:
    """Report that a question was not decided: an answer, so that it stands where answers stand."""
    detail = _so_far(detail)
    if settings.json:
        return no_answer(settings, reason, detail)
    _write_stopped(settings, Unknown(reason, detail))
    from sa.report.refine import stopped_document
    from sa.report.terminal import show_document

    write(show_document(stopped_document(Unknown(reason, detail), subject), screen(), settings.quiet))
    return EXIT_STATUS[Verdict.UNKNOWN]


def _write_stopped(settings: Settings, unknown: Unknown) -> None:
    """The files for other tools, where there is no answer."""
    if settings.files.any:
        from sa.report.json import stopped_json

        with suppress(InputError):
            write_files(settings, stopped_json(unknown), lambda: _stopped_page(unknown, settings.files.subject))


def _stopped_page(unknown: Unknown, subject: str) -> str:
    from sa.report.page import stopped_page

    return stopped_page(unknown, subject)


def remark(noticed: Sequence[Diagnostic], settings: Settings, *paths: str) -> None:
    """Warnings about the files, on standard error: at length where details are wanted, otherwise their number."""
    if settings.why and not settings.quiet:
        complain(noticed)
    elif not settings.quiet:
        count_warnings(len(noticed), *paths)


def count_warnings(count: int, *paths: str) -> None:
    """On standard error: warnings about the files are shown at length by `check`, which takes no options of C."""
    if count:
        warnings = "1 warning" if count == 1 else f"{count} warnings"
        shown = "ask with --why" if any(map(is_c, paths)) else f"sacheck check {shlex.join(paths)}"
        write(f"{warnings} about the files: {shown}\n", sys.stderr)


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
