"""All states of a cooperative program, executed as it is written: no expansion, no automata, no solver.

A state has what is left to do of each thread, as statements; who runs; the numbers; and the scheduler's state.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from tests.generators.cooperative import (
    LIMIT,
    LOCAL,
    SHARED,
    Any,
    Ask,
    Blocked,
    Branch,
    Check,
    Cooperative,
    Event,
    Join,
    Loop,
    Put,
    Statement,
    Test,
)
from tests.oracle import kernels
from tests.oracle.kernels import Kernel

_Numbers: TypeAlias = tuple[tuple[str, int], ...]


class _State(Struct, frozen=True):
    """`running` is None between two turns, and behind a failure."""

    left: tuple[tuple[Statement, ...], ...]
    shared: _Numbers
    own: tuple[int, ...]
    running: int | None
    kernel: Kernel
    failed: bool = False


class Answer(Struct, frozen=True):
    """Whether a check fails in some run, whether what is never to hold does, and how many states there are."""

    fails: bool
    happens: bool
    states: int


def answer(program: Cooperative) -> Answer:
    """What all states say."""
    count = len(program.threads)
    kernel = kernels.begun(program.scheduler, count)
    first = _State(program.threads, tuple((n, 0) for n in SHARED), (0,) * count, None, kernel)
    seen, waiting = {first}, [first]
    while waiting:
        for after in _steps(waiting.pop()):
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    happens = any(all(dict(s.shared)[t.name] == t.value for t in program.never) for s in seen if not s.failed)
    return Answer(any(s.failed for s in seen), happens, len(seen))


def _steps(state: _State) -> Iterator[_State]:
    if state.failed:
        return
    if state.running is not None:
        yield from _moved(state, state.running)
        return
    for thread in kernels.resumable(state.kernel):
        yield replace(state, running=thread)
    later = kernels.advanced(state.kernel)
    if later is not None:
        yield replace(state, kernel=later)


def _moved(state: _State, me: int) -> Iterator[_State]:
    """The steps of the thread that runs."""
    if not state.left[me]:
        yield replace(state, running=None, kernel=kernels.ended(state.kernel, me))
        return
    statement, *rest = state.left[me]
    on = _go_on(state, me, tuple(rest))
    match statement:
        case Put(name, source, more):
            yield _put(on, me, name, (_value(state, me, source) + more) % LIMIT)
        case Any(name):
            yield from (_put(on, me, name, v) for v in range(LIMIT))
        case Check(test):
            yield on if _holds(state, me, test) else replace(state, running=None, failed=True)
        case Blocked(test):
            if _holds(state, me, test):
                yield on
        case Branch(test, then, otherwise):
            yield _go_on(state, me, (*(then if _holds(state, me, test) else otherwise), *rest))
        case Loop(test, body):
            yield _go_on(state, me, (*body, statement, *rest)) if _holds(state, me, test) else on
        case Ask(word, event, delay):
            number = _number(state, me, event)
            yield (
                replace(state, running=None, failed=True)
                if number is None
                else _asked(on, me, _request(word, number, delay))
            )
        case Join(thread):
            yield _asked(on, me, kernels.AsksToJoin(thread))
        case _:
            assert_never(statement)


def _asked(on: _State, me: int, what: kernels.Asked) -> _State:
    kernel, suspended = kernels.asked(on.kernel, me, what)
    return replace(on, kernel=kernel, running=None if suspended else me)


def _request(word: str, number: int, delay: int | None) -> kernels.Asked:
    match word:
        case "yield":
            return kernels.Yields()
        case "wait":
            return kernels.Waits(number)
        case "wait for":
            return kernels.WaitsFor(delay or 0)
        case "cancel":
            return kernels.Cancels(number)
        case _:
            return kernels.Notifies(number, delay)


def _number(state: _State, me: int, event: Event | None) -> int | None:
    """The number of an event; None where the index is too large."""
    if event is None or event.index is None:
        return 0
    index = event.index if isinstance(event.index, int) else _value(state, me, event.index)
    return 1 + index if index < 2 else None


def _go_on(state: _State, me: int, left: tuple[Statement, ...]) -> _State:
    return replace(state, left=(*state.left[:me], left, *state.left[me + 1 :]))


def _value(state: _State, me: int, name: str) -> int:
    return state.own[me] if name == LOCAL else dict(state.shared)[name]


def _put(state: _State, me: int, name: str, value: int) -> _State:
    if name == LOCAL:
        return replace(state, own=(*state.own[:me], value, *state.own[me + 1 :]))
    return replace(state, shared=tuple((n, value if n == name else v) for n, v in state.shared))


def _holds(state: _State, me: int, test: Test) -> bool:
    return (_value(state, me, test.name) == test.value) == test.equal
