"""Locks, barriers, semaphores and conditions, as POSIX says, with what glibc takes for initialised."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

from msgspec import structs

from tests.frontends.c.judge.effects import Blocked, Effect, Where
from tests.frontends.c.judge.machine import (
    BarrierState,
    Content,
    Destroyed,
    Draft,
    Fault,
    Faulted,
    Lock,
    OnceState,
    RwState,
    Semaphore,
    Waiting,
    in_use,
)
from tests.frontends.c.judge.syntax import SPIN

#: A change of the contents of a cell, of a draft by a thread.
Change: TypeAlias = Callable[[Draft, int, int], None]
INITIAL = {
    "pthread_mutex_init": Lock,
    "pthread_spin_init": Lock,
    "pthread_rwlock_init": RwState,
    "pthread_cond_init": Waiting,
    "sem_init": Semaphore,
    "pthread_barrier_init": BarrierState,
}
WAITS = ("pthread_cond_wait", "pthread_barrier_wait")


def steps(
    function: str, places: tuple[Where, ...], numbers: tuple[int, ...], result: int | None, text: str
) -> list[Effect]:
    """The elementary steps of a function."""
    if function in INITIAL:
        return [_on(places[0], _initialised(function, numbers), text, new=True)]
    if function.endswith("_destroy"):
        return [_on(places[0], _destroyed, text)]
    if function == "pthread_cond_wait":
        return _wait(places, text)
    if function in ("pthread_cond_signal", "pthread_cond_broadcast"):
        return [_signal(places[0], text, everybody=function.endswith("broadcast"))]
    if function == "pthread_barrier_wait":
        return [_on(places[0], _arrive, text), _on(places[0], _depart, text)]
    changes: dict[str, Change] = {
        "lock": _lock,
        "unlock": _unlock,
        "rdlock": _read_lock,
        "wrlock": _lock,
        "post": _post,
        "wait": _take,
        "trylock": _lock,
        "tryrdlock": _read_lock,
        "trywrlock": _lock,
        "trywait": _take,
    }
    verb = function.rsplit("_", 1)[1]
    change = changes[verb]
    return [_on(places[0], _tried(change, result) if verb.startswith("try") else change, text)]


def _on(place: Where, change: Change, text: str, *, new: bool = False) -> Effect:
    def changed(draft: Draft, thread: int, _choice: int) -> None:
        cell = draft.find(place(draft.registers[thread]), text)
        if not new:
            _alive(draft.values[cell], text)
        change(draft, thread, cell)

    return Effect(changed)


def _alive(value: Content, text: str) -> None:
    if value is None:
        raise Faulted(Fault.BEFORE_INIT, text)
    if isinstance(value, Destroyed):
        raise Faulted(Fault.AFTER_DESTROY, text)


def _tried(change: Change, result: int | None) -> Change:
    """What fails where it would wait: then it synchronises nothing."""

    def tried(draft: Draft, thread: int, cell: int) -> None:
        try:
            change(draft, thread, cell)
            got = 1
        except Blocked:
            got = 0
        if result is not None:
            draft.registers[thread][result] = got

    return tried


def _initialised(function: str, numbers: tuple[int, ...]) -> Change:
    def change(draft: Draft, _thread: int, cell: int) -> None:
        if in_use(draft.values[cell]):
            raise Faulted(Fault.AMBIGUOUS, "the initialisation of what is in use")
        draft.values[cell] = cast("Content", INITIAL[function](*numbers))

    return change


def _destroyed(draft: Draft, _thread: int, cell: int) -> None:
    """As in glibc, who destroys a barrier waits for those who are still leaving it."""
    value = draft.values[cell]
    if isinstance(value, BarrierState) and not value.waiting and value.leaving:
        raise Blocked
    if in_use(draft.values[cell]):
        raise Faulted(Fault.DESTROYED_IN_USE, "destroy")
    draft.values[cell] = Destroyed.DESTROYED
    draft.forget(cell)


def _lock(draft: Draft, thread: int, cell: int) -> None:
    value = draft.values[cell]
    if isinstance(value, Lock):
        if value.owner == thread and draft.layout.cells[cell].type == SPIN:
            raise Faulted(Fault.AMBIGUOUS, "a spin lock that is taken twice")
        if value.owner >= 0:
            raise Blocked
        draft.values[cell] = Lock(thread)
    else:
        assert isinstance(value, RwState)
        if value.writer >= 0 or value.readers:
            raise Blocked
        draft.values[cell] = RwState(thread)
    draft.acquire(cell, thread)


def _read_lock(draft: Draft, thread: int, cell: int) -> None:
    """Readers synchronise with writers only: what they leave behind is carried under their own numbers."""
    value = draft.values[cell]
    assert isinstance(value, RwState)
    if value.writer >= 0:
        raise Blocked
    if thread in value.readers:
        raise Faulted(Fault.AMBIGUOUS, "a lock that is read twice")
    draft.values[cell] = RwState(-1, tuple(sorted((*value.readers, thread))))
    draft.acquire(cell, thread)


def _unlock(draft: Draft, thread: int, cell: int) -> None:
    value = draft.values[cell]
    if isinstance(value, Lock):
        if value.owner != thread:
            raise Faulted(Fault.LOCK, "unlock")
        draft.values[cell] = Lock()
    else:
        assert isinstance(value, RwState)
        if value.writer == thread:
            draft.values[cell] = RwState()
        elif thread in value.readers:
            draft.values[cell] = RwState(-1, tuple(r for r in value.readers if r != thread))
        else:
            raise Faulted(Fault.LOCK, "unlock")
    draft.release(cell, thread)


def _post(draft: Draft, thread: int, cell: int) -> None:
    value = draft.values[cell]
    assert isinstance(value, Semaphore)
    draft.values[cell] = Semaphore(value.value + 1)
    draft.release(cell, thread)


def _take(draft: Draft, thread: int, cell: int) -> None:
    value = draft.values[cell]
    assert isinstance(value, Semaphore)
    if value.value == 0:
        raise Blocked
    draft.values[cell] = Semaphore(value.value - 1)
    draft.acquire(cell, thread)


def _arrive(draft: Draft, thread: int, cell: int) -> None:
    """The last one that comes frees the others; all know what all knew."""
    value = draft.values[cell]
    assert isinstance(value, BarrierState)
    waiting = (*value.waiting, thread)
    draft.release(cell, thread)
    if len(waiting) < value.count:
        draft.values[cell] = structs.replace(value, waiting=tuple(sorted(waiting)))
        return
    for other in waiting:
        draft.acquire(cell, other)
    leaving = tuple(sorted(waiting))
    draft.values[cell] = BarrierState(value.count, (), tuple(sorted({*leaving, *value.leaving})))


def _depart(draft: Draft, thread: int, cell: int) -> None:
    value = draft.values[cell]
    assert isinstance(value, BarrierState)
    if thread in value.waiting:
        raise Blocked
    draft.values[cell] = structs.replace(value, leaving=tuple(t for t in value.leaving if t != thread))


def _wait(places: tuple[Where, ...], text: str) -> list[Effect]:
    """Unlocking and beginning to wait are one step; then a signal ends it or, where that is allowed, nothing."""

    def begins(draft: Draft, thread: int, _choice: int) -> None:
        condition, mutex = (draft.find(p(draft.registers[thread]), text) for p in places)
        _alive(draft.values[condition], text)
        _alive(draft.values[mutex], text)
        _unlock(draft, thread, mutex)
        waiting = draft.values[condition]
        assert isinstance(waiting, Waiting)
        draft.values[condition] = Waiting(tuple(sorted((*waiting.threads, thread))))

    def ends(draft: Draft, thread: int, _choice: int) -> None:
        condition, mutex = (draft.find(p(draft.registers[thread]), text) for p in places)
        waiting = draft.values[condition]
        if isinstance(waiting, Waiting) and thread in waiting.threads:
            if not draft.setting.spurious:
                raise Blocked
            draft.values[condition] = Waiting(tuple(t for t in waiting.threads if t != thread))
        _alive(draft.values[mutex], text)
        _lock(draft, thread, mutex)

    return [Effect(begins), Effect(ends)]


def _signal(place: Where, text: str, *, everybody: bool) -> Effect:
    def found(draft: Draft, thread: int) -> tuple[int, tuple[int, ...]]:
        cell = draft.find(place(draft.registers[thread]), text)
        _alive(draft.values[cell], text)
        value = draft.values[cell]
        assert isinstance(value, Waiting)
        return cell, value.threads

    def choices(draft: Draft, thread: int) -> int:
        return 1 if everybody else max(1, len(found(draft, thread)[1]))

    def change(draft: Draft, thread: int, choice: int) -> None:
        cell, waiting = found(draft, thread)
        kept = () if everybody else tuple(t for i, t in enumerate(waiting) if i != choice)
        draft.values[cell] = Waiting(kept)

    return Effect(change, choices)


def once_begin(place: Where, register: int, text: str) -> Effect:
    """The first one that comes runs the function; the others wait for its end, and know what it did."""

    def change(draft: Draft, thread: int, _choice: int) -> None:
        cell = draft.find(place(draft.registers[thread]), text)
        match draft.values[cell]:
            case OnceState.NEW:
                draft.values[cell] = OnceState.RUNS
                draft.registers[thread][register] = 1
            case OnceState.DONE:
                draft.registers[thread][register] = 0
                draft.acquire(cell, thread)
            case _:
                raise Blocked

    return Effect(change)


def once_end(place: Where, text: str) -> Effect:
    """The function of an initialisation has run."""

    def change(draft: Draft, thread: int, _choice: int) -> None:
        cell = draft.find(place(draft.registers[thread]), text)
        draft.values[cell] = OnceState.DONE
        draft.release(cell, thread)

    return Effect(change)
