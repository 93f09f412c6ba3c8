"""Cooperative programs: what a scheduler answers to each request, and what is wrong with a program or its scheduler."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from sa.app.verify import VerifyRequest, verify
from sa.base.limits import limits
from sa.base.source import Source
from sa.base.verdict import Verdict
from sa.engines.verify import Options
from sa.language.elaborate.schedulers import library, of_library
from sa.language.format import format_source
from tests.language.texts import complaints, program_of

P, R = Verdict.PROVED, Verdict.REFUTED

#: What each kernel does: the scheduler, the threads, and whether no thread comes to `assert false`, or to a wrong `n`.
KERNELS = [
    ("an event that nobody awaits is missed", "cooperative", "A { wait e; assert false; } B { notify e; }", R),
    ("woken means that others may run first", "cooperative", "A { wait e; assert n == 0; } B { notify e; n := 1; }", R),
    ("who runs is not interrupted", "cooperative", "A { n := 1; n := 0; } B { assert n == 0; }", P),
    ("a yield lets others run", "cooperative", "A { n := 1; yield; n := 0; } B { assert n == 0; }", R),
    ("join waits for the end", "cooperative", "A { join B; assert n == 2; } B { n := 1; yield; n := 2; }", P),
    ("who is over is joined at once", "cooperative", "A { yield; join B; n := n + 1; assert n <= 1; } B { skip; }", P),
    (
        "an event of a thread that has ended wakes",
        "cooperative",
        "A { wait e; assert n == 1; } B { n := 1; notify e; }",
        P,
    ),
    ("an event stays for the instant", "fairthreads", "A { notify e; wait e; n := 1; } B { yield; assert n == 1; }", P),
    ("a new instant has no events", "fairthreads", "A { notify e; yield; wait e; assert false; } B { skip; }", P),
    ("a yield lasts for the instant", "fairthreads", "A { yield; assert n == 1; } B { n := 1; }", P),
    (
        "a notification at once is missed by later waits",
        "systemc",
        "A { notify e; wait e; assert false; } B { skip; }",
        P,
    ),
    (
        "a delta notification waits for the others",
        "systemc",
        "A { notify e in 0; n := 1; } B { wait e; assert n == 1; }",
        P,
    ),
    (
        "a delta notification is seen by later waits",
        "systemc",
        "A { notify e in 0; wait e; assert false; } B { skip; }",
        R,
    ),
    (
        "a later notification is forgotten",
        "systemc",
        "A { notify e in 1; notify e in 3; wait for 2; n := 1; } B { wait e; assert n == 0; }",
        P,
    ),
    (
        "an earlier notification replaces",
        "systemc",
        "A { notify e in 3; notify e in 1; wait for 2; n := 1; } B { wait e; assert n == 0; }",
        P,
    ),
    (
        "of notifications one is pending",
        "systemc",
        "A { notify e in 1; notify e in 3; } B { wait e; wait e; assert false; }",
        P,
    ),
    (
        "a notification at once takes the pending one away",
        "systemc",
        "A { yield; notify e in 1; notify e; } B { wait e; wait e; assert false; }",
        P,
    ),
    ("what is cancelled wakes nobody", "systemc", "A { notify e in 1; cancel e; } B { wait e; assert false; }", P),
    ("time goes on when nobody is ready", "systemc", "A { wait for 2; n := 1; } B { wait for 3; assert n == 1; }", P),
    ("at one time any order is possible", "systemc", "A { wait for 2; n := 1; } B { wait for 2; assert n == 1; }", R),
    (
        "delta cycles come before time",
        "systemc",
        "A { wait for 0; yield; n := 1; } B { wait for 1; assert n == 1; }",
        P,
    ),
    ("the first in the file is next", "priority", "A { yield; n := 1; } B { assert n == 1; }", P),
    (
        "a thread that is woken does not interrupt",
        "priority",
        "A { wait e; n := 1; } B { notify e; assert n == 0; }",
        P,
    ),
    ("a thread that is woken is next", "priority", "A { wait e; n := 1; } B { notify e; yield; assert n == 1; }", P),
]


def text_of(scheduler: str, threads: str) -> str:
    first, second = threads.removeprefix("A ").split(" B ")
    return f"scheduler {scheduler}; event e; global n : int = 0; thread A {first} thread B {second}"


@pytest.mark.parametrize(("scheduler", "threads", "wanted"), [k[1:] for k in KERNELS], ids=[k[0] for k in KERNELS])
def test_a_kernel(scheduler: str, threads: str, wanted: Verdict, tmp_path: Path) -> None:
    path = tmp_path / "kernel.sa"
    path.write_text(text_of(scheduler, threads))
    assert verify(VerifyRequest(str(path), False, Options(limits(60.0, None)))).outcome.verdict is wanted


C = "cooperative; event e, f[2]; global x : int = 0; "
T = "thread T { skip; } "


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("thread T { yield; }", ("SA327", "yield;")),
        ("event e; " + T, ("SA327", "event e;")),
        ("cooperative; scheduler systemc; " + T, ("SA327", "scheduler systemc;")),
        ("scheduler sistemc; " + T, ("SA327", "sistemc")),
        (C + "thread T { wait for 2; }", ("SA327", "wait for 2;")),
        (C + "thread T { start T; }", ("SA327", "start T;")),
        (C + "thread T[i : *] { skip; }", ("SA327", "[i : *]")),
        (C + "thread T { suspend; }", ("SA327", "suspend;")),
        (C + "thread T { wait g; }", ("SA328", "g")),
        (C + "thread T { wait f; }", ("SA328", "f")),
        (C + "thread T { wait e[1]; }", ("SA328", "e[1]")),
        (C + "thread T { join U; }", ("SA323", "U")),
        ("scheduler s { on sleep { suspend; } } " + T, ("SA002", "on sleep")),
        ("schedule s; " + T, ("SA002", "schedule")),
        (C + "thread T { atomic { yield; } }", ("SA306", "yield;")),
        ("scheduler s { on yield { suspend; } } scheduler s; " + T, ("SA329", "s")),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(text: str, wanted: tuple[str, str]) -> None:
    assert wanted in complaints(text)


def test_an_index_beyond_the_events_fails() -> None:
    program = program_of(C + "thread T { local i : int; notify f[i]; }")
    assert any(e.failure is not None for t in program.threads for e in t.edges)


def test_a_declared_scheduler_means_what_the_library_means() -> None:
    text = text_of("cooperative", "A { wait e; x := 1; } B { notify e; yield; join A; }").replace("n :", "x :")
    source = of_library("cooperative").span
    own = source.source.text[source.start : source.end]
    shown = [(e.source, e.target, e.guard, e.updates) for t in program_of(text).threads for e in t.edges]
    assert shown == [(e.source, e.target, e.guard, e.updates) for t in program_of(own + text).threads for e in t.edges]


@pytest.mark.parametrize("name", library())
def test_the_library_is_in_the_one_layout(name: str) -> None:
    text = of_library(name).span.source.text
    assert format_source(Source(name, text)) == text


def test_words_of_schedulers_are_names_elsewhere() -> None:
    program = program_of(
        "global event, wait, yield, notify, scheduler, suspend : int = 0; thread on { wait := yield; }"
    )
    assert [t.name for t in program.threads] == ["on"]
    assert replace(program, threads=()).families == ()


def test_a_scheduler_does_not_suspend_in_a_loop() -> None:
    """Which of the repetitions suspends would not be known."""
    text = """scheduler mine { define ready(t) = true; on yield { for i in 1..2 { suspend; } } }
      scheduler mine; thread T { yield; }"""
    assert any("SA306" in str(c) for c in complaints(text))


@pytest.mark.parametrize("scheduler", library())
@pytest.mark.parametrize(("last", "wanted"), [("notify go;", P), ("skip;", R)])
def test_progress_asks_for_the_ends_of_threads(scheduler: str, last: str, wanted: Verdict, tmp_path: Path) -> None:
    """A scheduler with steps of its own has no end; a thread that is never woken is stuck."""
    path = tmp_path / "program.sa"
    text = "event go; global done : bool = false;"
    text += "thread A { while (!done) { wait go; } } thread B { yield; done := true; " + last + " } progress;"
    path.write_text(f"scheduler {scheduler}; {text}")
    assert verify(VerifyRequest(str(path), False, Options(limits(60.0, None)))).outcome.verdict is wanted
