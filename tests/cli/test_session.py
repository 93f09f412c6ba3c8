"""Every possible end of a command has its exit status and its message (decision 002)."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
import typer

from sa.base.diagnostic import InputError, error
from sa.base.limits import LimitReached
from sa.base.verdict import Reason
from sa.cli.options import Settings
from sa.cli.output import write_json
from sa.cli.session import run
from sa.processes.guard import undisturbed
from sa.report.json import StoppedJson

PLAIN = Settings(json=False, quiet=False, timeout=None, memory=None)
JSON = Settings(json=True, quiet=False, timeout=None, memory=None)


def status(body: Callable[[], int], settings: Settings = PLAIN) -> int:
    """The status that a command with this body leaves with."""
    with pytest.raises(typer.Exit) as left:
        run(settings, body)
    return left.value.exit_code


def raising(exception: BaseException) -> Callable[[], int]:
    """A body that raises."""

    def body() -> int:
        raise exception

    return body


WRONG = InputError((error("SA101", "unknown name `x`"),))


@pytest.mark.parametrize("answer", [0, 1, 3])
def test_the_answer_is_the_status(answer: int) -> None:
    """The body's own."""
    assert status(lambda: answer) == answer


@pytest.mark.parametrize(
    ("exception", "expected"),
    [
        (WRONG, 2),
        (LimitReached(Reason.TIMEOUT), 3),
        (KeyboardInterrupt(), 3),
        (MemoryError(), 3),
        (RecursionError(), 4),
        (ZeroDivisionError("division by zero"), 4),
    ],
)
@pytest.mark.parametrize("settings", [PLAIN, JSON])
def test_every_exception_has_a_status(exception: BaseException, expected: int, settings: Settings) -> None:
    """No exception looks like an answer."""
    assert status(raising(exception), settings) == expected


def test_wrong_input_is_explained_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output stays free for answers."""
    status(raising(WRONG))
    assert capsys.readouterr() == ("", "error SA101: unknown name `x`\n\n")


def test_wrong_input_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """One document with the status."""
    status(raising(WRONG), JSON)
    document = json.loads(capsys.readouterr().out)
    assert (document["status"], document["diagnostics"][0]["code"]) == (2, "SA101")


def test_an_internal_error_is_short_and_says_how_to_report_it(capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback."""
    status(raising(ZeroDivisionError("division by zero")))
    text = capsys.readouterr().err
    assert text.startswith("sacheck: internal error: ZeroDivisionError: division by zero\n")
    assert "SACHECK_TRACEBACK=1" in text
    assert "Traceback" not in text


def test_a_maintainer_can_ask_for_the_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SACHECK_TRACEBACK=1."""
    monkeypatch.setenv("SACHECK_TRACEBACK", "1")
    assert status(raising(ZeroDivisionError())) == 4
    assert "Traceback" in capsys.readouterr().err


def spin() -> int:
    """A body that ends only when it is stopped."""
    started = time.monotonic()
    while time.monotonic() - started < 20:
        pass
    return 0


def test_a_body_that_does_not_watch_the_time_is_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    """UNKNOWN, not success."""
    started = time.monotonic()
    assert status(spin, Settings(False, False, 0.2, None)) == 3
    assert time.monotonic() - started < 5
    assert capsys.readouterr().err == "UNKNOWN: the time limit was reached\n"


def test_a_body_that_needs_too_much_memory_is_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    """The process is larger than 1 MB from its start."""
    assert status(spin, Settings(False, False, None, 1)) == 3
    assert capsys.readouterr().err == "UNKNOWN: the memory limit was reached\n"


def test_an_interrupt_is_no_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C."""

    def body() -> int:
        os.kill(os.getpid(), signal.SIGINT)
        return spin()

    assert status(body) == 3
    assert capsys.readouterr().err == "UNKNOWN: it was interrupted\n"


def test_an_interrupt_that_is_swallowed_comes_again(capsys: pytest.CaptureFixture[str]) -> None:
    """Libraries catch what they should not."""

    def body() -> int:
        with suppress(Exception):
            os.kill(os.getpid(), signal.SIGINT)
        return spin()

    assert status(body) == 3
    assert capsys.readouterr().err == "UNKNOWN: it was interrupted\n"


def test_what_is_being_written_is_written_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """A limit waits for the end of it."""

    def body() -> int:
        with undisturbed():
            time.sleep(0.4)
            print("all of it")
        return spin()

    assert status(body, Settings(False, False, 0.1, None)) == 3
    assert capsys.readouterr() == ("all of it\n", "UNKNOWN: the time limit was reached\n")


def test_what_an_interrupt_breaks_is_interrupted(capsys: pytest.CaptureFixture[str]) -> None:
    """Libraries turn exceptions into others."""

    def body() -> int:
        with suppress(LimitReached):
            os.kill(os.getpid(), signal.SIGINT)
            spin()
        raise AttributeError("half made")

    assert status(body) == 3
    assert capsys.readouterr().err == "UNKNOWN: it was interrupted\n"


def test_a_document_that_is_written_is_the_only_one(capsys: pytest.CaptureFixture[str]) -> None:
    """A limit that is reached a moment later has nothing to stop."""

    def body() -> int:
        write_json(StoppedJson(None, 1))
        time.sleep(0.4)
        return 1

    assert status(body, Settings(True, False, 0.1, None)) == 1
    assert json.loads(capsys.readouterr().out)["status"] == 1


def test_the_guard_leaves_nothing_behind() -> None:
    """Handlers and timers are as before."""
    before = signal.getsignal(signal.SIGINT)
    status(lambda: 0, Settings(False, False, 0.1, None))
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
