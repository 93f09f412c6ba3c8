"""Tasks in processes of their own: the same results in the same order, and nothing left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Mapping

import pytest

from sa.base.diagnostic import InputError, error
from sa.base.limits import LimitReached, Limits, limits
from sa.base.source import Source
from sa.base.verdict import Reason
from sa.processes.tasks import Task, in_order
from sa.terms import build
from sa.terms.term import Term

Result = tuple[str, object]
BOTH = pytest.mark.parametrize("jobs", [1, 3])


def task(name: str, needs: tuple[str, ...], work: Callable[[Mapping[str, Result]], object]) -> Task[Result]:
    """A task whose result is a word and a value; the word is the limit that it ran into."""
    return Task(
        name,
        needs,
        lambda earlier: _result(work, earlier),
        lambda result: Reason[result[0]] if result[0] else None,
        lambda reason: (reason.name, None),
    )


def _result(work: Callable[[Mapping[str, Result]], object], earlier: Mapping[str, Result]) -> Result:
    try:
        return "", work(earlier)
    except LimitReached as limit:
        return limit.reason.name, "what it knew"


def slept(seconds: float, value: object = None) -> Callable[[Mapping[str, Result]], object]:
    """A task that takes its time."""

    def work(_: Mapping[str, Result]) -> object:
        time.sleep(seconds)
        return value

    return work


def results(tasks: list[Task[Result]], jobs: int, shared: object = None, bounds: Limits | None = None) -> list[object]:
    """What comes out; no process is there afterwards."""
    given = in_order(tasks, jobs, shared, (Source,), bounds or Limits())
    found: list[object] = list(given)
    assert not multiprocessing.active_children()
    return found


@BOTH
def test_results_come_in_order_and_are_known_to_those_that_need_them(jobs: int) -> None:
    tasks = [
        task("a", (), slept(0.2, 1)),
        task("b", (), slept(0.0, 2)),
        task("c", ("a", "b"), lambda earlier: sum(int(str(v)) for _, v in earlier.values())),
    ]
    assert results(tasks, jobs) == [("", 1), ("", 2), ("", 3)]


def test_tasks_that_need_nothing_of_each_other_are_worked_on_at_once() -> None:
    started = time.monotonic()
    results([task(name, (), slept(2.0)) for name in "abc"], 3)
    assert time.monotonic() - started < 5.0


@BOTH
def test_shared_objects_stay_the_same(jobs: int) -> None:
    """Sources are compared by identity."""
    source = Source("a.sa", "text")
    found = results([task("a", (), lambda _: [source]), task("b", (), lambda _: 1)], jobs, (source,))
    assert found == [("", [source]), ("", 1)]


def test_deep_terms_get_through() -> None:
    """Equal terms are one object, in whichever process they were made."""

    def deep(_: Mapping[str, Result]) -> object:
        term: Term = build.variable("x")
        for n in range(1_500):
            term = build.mod(build.add(term, build.integer(n)), 7 + n)
        return term

    found = results([task("a", (), deep), task("b", (), slept(0))], 2)
    assert found[0] == ("", deep({}))


@BOTH
def test_what_a_task_raises_is_raised_at_its_place(jobs: int) -> None:
    def wrong(_: Mapping[str, Result]) -> object:
        raise InputError((error("SA405", "wrong"),))

    found = in_order(
        [task("a", (), slept(0.1)), task("b", (), wrong), task("c", ("b",), slept(0))], jobs, None, (), Limits()
    )
    assert next(found) == ("", None)
    with pytest.raises(InputError) as raised:
        next(found)
    assert [d.code for d in raised.value.diagnostics] == ["SA405"]
    assert not multiprocessing.active_children()


def test_a_bug_in_a_task_is_a_bug(capfd: pytest.CaptureFixture[str]) -> None:
    """Whatever it is; nothing is written by another process."""

    class Odd(Exception):
        def __reduce__(self) -> str:
            raise TypeError("it cannot be sent")

    def wrong(_: Mapping[str, Result]) -> object:
        raise Odd("odd")

    with pytest.raises(RuntimeError, match="Odd: odd") as raised:
        results([task("a", (), wrong), task("b", (), slept(0))], 2)
    assert "in wrong" in raised.value.__notes__[0]
    assert capfd.readouterr() == ("", "")


def test_a_process_that_dies_gives_no_result() -> None:
    """One that the system killed needed too much memory; solvers end processes; what Python ends with is a bug."""
    killed = [task("a", (), lambda _: os.kill(os.getpid(), signal.SIGKILL)), task("b", ("a",), slept(0))]
    assert results(killed, 2) == [("MEMORY", None), None]
    for dying in (lambda: os._exit(101), lambda: os._exit(0), lambda: os.kill(os.getpid(), signal.SIGTERM)):
        crashed = [task("a", (), lambda _, dying=dying: dying()), task("b", ("a",), slept(0))]
        assert results(crashed, 2) == [("CRASHED", None), None]
    with pytest.raises(RuntimeError, match="worked on a ended with status 1"):
        results([task("a", (), lambda _: os._exit(1)), task("b", ("a",), slept(0))], 2)


@BOTH
def test_after_a_limit_nothing_is_begun(jobs: int) -> None:
    def limited(_: Mapping[str, Result]) -> object:
        raise LimitReached(Reason.TIMEOUT)

    tasks = [
        task("a", (), slept(0)),
        task("b", (), limited),
        task("c", ("a", "b"), slept(0)),
        task("d", ("c",), slept(0)),
    ]
    assert results(tasks, jobs) == [("", None), ("TIMEOUT", "what it knew"), None, None]


def test_at_the_deadline_tasks_may_say_what_they_know_and_are_ended() -> None:
    """Also one that does not listen."""

    def deaf(_: Mapping[str, Result]) -> object:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        time.sleep(20)
        return None

    started = time.monotonic()
    tasks = [task("a", (), slept(20)), task("b", (), deaf), task("c", (), slept(0))]
    found = results(tasks, 2, None, limits(0.5, None))
    assert found == [("TIMEOUT", "what it knew"), ("TIMEOUT", None), None]
    assert time.monotonic() - started < 10.0


def test_interrupts_of_this_process_end_the_others() -> None:
    """They may come several times."""

    def interrupted(number: int, frame: object) -> None:
        raise LimitReached(Reason.INTERRUPTED)

    before = signal.signal(signal.SIGALRM, interrupted)
    signal.setitimer(signal.ITIMER_REAL, 0.4, 0.05)
    tasks = [task("a", (), slept(20)), task("b", (), slept(20))]
    try:
        given = in_order(tasks, 2, None, (), Limits())
        found = list(given)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert found == [("INTERRUPTED", "what it knew")] * 2
    assert not multiprocessing.active_children()


def test_results_that_nobody_wants_any_more_end_the_processes() -> None:
    tasks = [task("a", (), slept(0)), task("b", (), slept(20))]
    found = in_order(tasks, 2, None, (), Limits())
    next(found)
    assert multiprocessing.active_children()
    found.close()  # type: ignore[attr-defined]
    assert not multiprocessing.active_children()


def test_a_process_ends_with_the_one_that_began_it() -> None:
    """Even if that one had no time to say so."""
    read, write = os.pipe()

    def tell(_: Mapping[str, Result]) -> object:
        os.write(write, str(os.getpid()).encode())
        time.sleep(20)
        return None

    first = os.fork()
    if first == 0:
        tasks = [task("a", (), tell), task("b", (), slept(20))]
        given = in_order(tasks, 2, None, (), Limits())
        list(given)
        os._exit(0)
    second = int(os.read(read, 20))
    os.kill(first, signal.SIGKILL)
    os.waitpid(first, 0)
    deadline = time.monotonic() + 3.0
    while time.monotonic() < deadline and _is_alive(second):
        time.sleep(0.05)
    assert not _is_alive(second)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"
