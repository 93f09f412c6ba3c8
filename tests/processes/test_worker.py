"""What a worker says arrives whole or not at all; the processes below one are found and weighed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from time import sleep
from typing import TextIO

import pytest

import sa.processes.supervisor as supervisor
from sa.base.limits import Limits, limits
from sa.base.verdict import Reason
from sa.cli.output import answered
from sa.processes.group import age, below, held, held_by_all, tell_all
from sa.processes.messages import ERR, OUT, Channel, Stream, listen
from sa.processes.supervisor import supervise

SLEEPER = (
    "import subprocess, sys, time\nif sys.argv[1:]: subprocess.Popen([sys.executable, __file__])\ntime.sleep(60)\n"
)


def pipe() -> tuple[int, Channel]:
    """The two ends of a pipe."""
    heard, said = os.pipe()
    return heard, Channel(said)


def heard_at(pipe: int, dead: bool = False) -> list[tuple[bytes, str]]:
    """All that arrives, from one who is dead or goes on living."""
    over, says = os.pipe()
    if dead:
        os.write(says, b"!")
    return list(listen(pipe, over))


def test_texts_arrive_in_order_with_their_streams() -> None:
    heard, channel = pipe()
    Stream(channel, OUT, sys.stdout).write("one\n")
    Stream(channel, ERR, sys.stderr).write("two \udcff é\n")
    Stream(channel, OUT, sys.stdout).write("")
    os.close(channel.pipe)
    assert heard_at(heard) == [(OUT, "one\n"), (ERR, "two \udcff é\n"), (OUT, "")]


def test_a_long_text_arrives_whole() -> None:
    heard, channel = pipe()
    text = "x" * 5_000_000

    def say() -> None:
        channel.say(OUT, text)
        os.close(channel.pipe)

    threading.Thread(target=say).start()
    assert heard_at(heard) == [(OUT, text)]


@pytest.mark.parametrize("bytes_lost", [1, 5, 10, 12])
def test_a_text_that_is_cut_off_is_no_text(bytes_lost: int) -> None:
    heard, channel = pipe()
    channel.say(OUT, "first")
    channel.say(OUT, "PROVED")
    sent = os.read(heard, 1000)
    again, said = os.pipe()
    os.write(said, sent[:-bytes_lost])
    os.close(said)
    assert heard_at(again) == [(OUT, "first")]


@pytest.mark.parametrize("bytes_lost", [0, 5, 12])
def test_others_who_hold_the_pipe_of_a_dead_one_are_not_waited_for(bytes_lost: int) -> None:
    heard, channel = pipe()
    channel.say(OUT, "first")
    channel.say(OUT, "PROVED")
    sent = os.read(heard, 1000)
    os.write(channel.pipe, sent[: len(sent) - bytes_lost])
    assert heard_at(heard, dead=True) == [(OUT, "first"), (OUT, "PROVED")][: 2 - (bytes_lost > 0)]


def test_who_has_the_floor_is_heard_alone() -> None:
    heard, channel = pipe()
    channel.take_over()
    other = threading.Thread(target=channel.say, args=(OUT, "also\n"), daemon=True)
    other.start()
    channel.say(OUT, "last words\n")
    other.join(0.2)
    assert other.is_alive()
    os.close(channel.pipe)
    assert heard_at(heard) == [(OUT, "last words\n")]


def test_processes_below_one_are_found_weighed_and_ended(tmp_path: os.PathLike[str]) -> None:
    script = os.path.join(tmp_path, "sleeper.py")
    with open(script, "w") as file:
        file.write(SLEEPER)
    top = subprocess.Popen([sys.executable, script, "parent"], process_group=0)
    for _ in range(500):
        if found := below(top.pid):
            break
        sleep(0.01)
    sleep(0.1)
    assert len(found) == 1
    assert held_by_all(top.pid) >= held(top.pid) + held(found[0]) - 2**22
    assert min(held(top.pid), held(found[0])) > 2**20
    tell_all(top.pid, signal.SIGKILL)
    assert top.wait(10) == -9
    assert held(top.pid) == 0
    assert below(top.pid) == []


def test_a_process_knows_its_age() -> None:
    before = age()
    sleep(0.1)
    assert 0.05 < age() - before < 5


def test_a_worker_that_is_killed_after_its_answer_gets_no_second_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was writing a file, say: what it said stands, and why it was not finished is said beside it."""
    monkeypatch.setattr(supervisor, "_FILES", 0.1)
    written = list[tuple[str, bool]]()

    def body(bounds: Limits) -> int:
        sys.stdout.write("the answer\n")
        answered(2, "the rest is lost\n")
        return 0

    def finished(inside: Callable[[], int]) -> int:
        inside()
        sleep(60)
        return 0

    def stopped(reason: Reason, detail: str = "") -> int:
        raise AssertionError("there was an answer")

    def write(text: str, stream: TextIO | None = None) -> None:
        written.append((text, stream is None))

    assert supervise(limits(0.5, None), body, stopped, finished, write, False) == 2
    assert written == [("the answer\n", True), ("the rest is lost\n", False)]
