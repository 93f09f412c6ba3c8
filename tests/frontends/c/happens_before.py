"""Whether a program with atomics, fences, locks and threads has a data race, by definition.

The judge goes through all sequentially consistent runs of a program, with the set of events that happen before each
event, as C11 5.1.2.4 has them: modification orders with their release sequences, and fences. It knows nothing of C.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

#: A statement: its kind, what it is about, and the statements in it.
Statement: TypeAlias = tuple[object, ...]
Block: TypeAlias = tuple[Statement, ...]
#: The number of an event: its thread, and how many this one had before.
Event: TypeAlias = tuple[int, int]
Events: TypeAlias = frozenset[Event]

MAX_STATES = 60_000
ACQUIRING, RELEASING = ("consume", "acquire", "acq_rel", "seq_cst"), ("release", "acq_rel", "seq_cst")


class Effect(NamedTuple):
    """A side effect on an atomic variable: whose it is, and what it releases, by itself and by a fence before it."""

    value: int
    thread: int
    update: bool
    releases: Events | None
    fenced: Events | None


class Mind(NamedTuple):
    """A thread: what it has still to do, how many events it had, and what happens before its next one.

    `collected` is what an acquire fence would add, `fence` what its last release fence released.
    """

    rest: Block
    count: int
    past: Events
    collected: Events
    fence: Events | None


class State(NamedTuple):
    """Threads by number, plain values, effects on atomics, owners, what objects released, and accesses so far."""

    minds: tuple[Mind | None, ...]
    plain: tuple[int, ...]
    atomics: tuple[tuple[Effect, ...], ...]
    owners: tuple[tuple[str, int], ...]
    released: tuple[tuple[str, Events], ...]
    accesses: frozenset[tuple[Event, str, bool, bool]]


PLAIN, ATOMIC = ("x", "y"), ("a", "b")


def races(threads: tuple[Block, ...]) -> bool | None:
    """Whether some run has a data race; None where there are too many states. The first thread creates the others."""
    first = Mind(threads[0], 0, frozenset(), frozenset(), None)
    start = State((first, *(None for _ in threads[1:])), (0, 0), ((), ()), (), (), frozenset())
    seen, pending = {start}, [start]
    while pending:
        state = pending.pop()
        for number, mind in enumerate(state.minds):
            if mind is None or not mind.rest:
                continue
            for after in _steps(state, number, mind, threads):
                if after is None:
                    return True
                if after not in seen:
                    seen.add(after)
                    pending.append(after)
                    if len(seen) > MAX_STATES:
                        return None
    return False


def _steps(state: State, number: int, mind: Mind, threads: tuple[Block, ...]) -> Iterator[State | None]:
    """What a thread may do next; None is a race."""
    kind, *arguments = mind.rest[0]
    on = mind._replace(rest=mind.rest[1:], count=mind.count + 1)
    match kind:
        case "write" | "read" | "if":
            yield from _plain(state, number, mind, on, kind, arguments)
        case "init" | "store" | "load" | "update" | "cas":
            yield from _atomic(state, number, mind, on, kind, arguments)
        case "fence":
            order, past, fence = arguments[0], on.past, on.fence
            past = past | on.collected if order in ACQUIRING else past
            fence = past | {(number, mind.count)} if order in RELEASING else fence
            yield _moved(state, number, on._replace(past=past, fence=fence))
        case "create":
            made = Mind(threads[arguments[0]], 0, on.past | {(number, mind.count)}, frozenset(), None)  # type: ignore[index]
            minds = _moved(state, number, on).minds
            yield state._replace(minds=tuple(made if i == arguments[0] else m for i, m in enumerate(minds)))
        case "join":
            other = state.minds[arguments[0]]  # type: ignore[index]
            if other is not None and not other.rest:
                yield _moved(state, number, on._replace(past=on.past | other.past))
        case _:
            yield from _locked(state, number, mind, on, kind, arguments)


def _moved(state: State, number: int, mind: Mind, **changes: object) -> State:
    """The state behind an event of a thread, which is in the past of its next one."""
    after = mind._replace(past=mind.past | {(number, mind.count - 1)})
    minds = tuple(after if i == number else m for i, m in enumerate(state.minds))
    return state._replace(minds=minds, **changes)  # type: ignore[arg-type]


def _plain(state, number, mind, on, kind, arguments) -> Iterator[State | None]:  # type: ignore[no-untyped-def]
    place, value, at = arguments[0], arguments[1], PLAIN.index(arguments[0])
    if _is_race(state, mind.past, place, kind == "write", False):
        yield None
        return
    accesses = state.accesses | {((number, mind.count), place, kind == "write", False)}
    plain = tuple(value if i == at and kind == "write" else v for i, v in enumerate(state.plain))
    if kind == "if" and state.plain[at] == value:
        on = on._replace(rest=(*arguments[2], *on.rest))
    yield _moved(state, number, on, plain=plain, accesses=accesses)


def _locked(state, number, mind, on, kind, arguments) -> Iterator[State | None]:  # type: ignore[no-untyped-def]
    """Locks, and semaphores as numbers of permits. What is taken is given back by a statement behind what is inside."""
    owners, released, rest = dict(state.owners), dict(state.released), on.rest
    none = frozenset[Event]()

    def taken(acquired: tuple[str, ...], more: dict[str, int], inside: Block) -> State:
        past = on.past.union(*(released.get(name, none) for name in acquired))
        held = tuple(sorted({**owners, **more}.items()))
        return _moved(state, number, on._replace(past=past, rest=inside), owners=held)

    def given(name: str, left: dict[str, object]) -> State:
        held = tuple(sorted((k, v) for k, v in left.items() if v or k == "m"))
        after = released.get(name, none) | on.past | {(number, mind.count)}
        return _moved(state, number, on, owners=held, released=tuple(sorted({**released, name: after}.items())))

    match kind:
        case "lock" if arguments[0] not in owners:
            yield taken(("m",), {"m": number}, (*arguments[1], ("unlock",), *rest))
        case "try" if "m" in owners:
            yield _moved(state, number, on._replace(rest=(*arguments[2], *rest)))
        case "try":
            yield taken(("m",), {"m": number}, (*arguments[1], ("unlock",), *rest))
        case "unlock":
            yield given("m", {k: v for k, v in owners.items() if k != "m"})
        case "read lock" if "writer" not in owners:
            more = {"readers": owners.get("readers", 0) + 1}
            yield taken(("writer",), more, (*arguments[0], ("leave", "readers"), *rest))
        case "write lock" if not owners.keys() & {"writer", "readers"}:
            yield taken(("writer", "readers"), {"writer": 1}, (*arguments[0], ("leave", "writer"), *rest))
        case "leave":
            yield given(arguments[0], {**owners, arguments[0]: owners[arguments[0]] - 1})
        case "post":
            yield given("permits", {**owners, "permits": owners.get("permits", 0) + 1})
        case "wait" if owners.get("permits", 0):
            left = {**owners, "permits": owners["permits"] - 1}
            past = on.past | released.get("permits", none)
            held = tuple(sorted((k, v) for k, v in left.items() if v or k == "m"))
            yield _moved(state, number, on._replace(past=past), owners=held)
        case _:
            return


def _atomic(state, number, mind, on, kind, arguments) -> Iterator[State | None]:  # type: ignore[no-untyped-def]
    place, at, event = arguments[0], ATOMIC.index(arguments[0]), (number, mind.count)
    effects = state.atomics[at]
    value = effects[-1].value if effects else 0
    inside: Block = ()
    succeeds = kind == "cas" and value == arguments[1]
    order = arguments[2] if kind in ("store", "load", "update") else "relaxed"
    if kind == "cas":
        order = arguments[3] if succeeds else arguments[4]
    reads = kind in ("load", "update", "cas")
    writes = kind in ("init", "store", "update") or succeeds
    past, collected = on.past, on.collected
    if reads:
        found = frozenset[Event]().union(*_synchronising(effects))
        past, collected = (past | found, collected) if order in ACQUIRING else (past, collected | found)
    if _is_race(state, past, place, writes, kind != "init"):
        yield None
        return
    accesses = state.accesses | {(event, place, writes, kind != "init")}
    if writes:
        new = value + 1 if kind == "update" else arguments[2 if kind == "cas" else 1]
        released = past | {event} if order in RELEASING and kind != "init" else None
        fence = on.fence if kind != "init" else None
        effects = (*effects, Effect(new, number, kind in ("update", "cas"), released, fence))
    if kind in ("load", "update") and value == arguments[1]:
        inside = arguments[3]
    if kind == "cas":
        inside = arguments[5] if succeeds else arguments[6]
    atomics = tuple(effects if i == at else e for i, e in enumerate(state.atomics))
    on = on._replace(past=past, collected=collected, rest=(*inside, *on.rest))
    yield _moved(state, number, on, atomics=atomics, accesses=accesses)


def _synchronising(effects: tuple[Effect, ...]) -> Iterator[Events]:
    """What those heads of release sequences release that the last effect is in, real ones and those behind fences."""
    for place, head in enumerate(effects):
        if all(later.update or later.thread == head.thread for later in effects[place + 1 :]):
            yield head.releases or frozenset()
            yield head.fenced or frozenset()


def _is_race(state: State, past: Events, place: object, writes: bool, atomic: bool) -> bool:
    return any(
        where == place and (writes or wrote) and not (atomic and was) and event not in past
        for event, where, wrote, was in state.accesses
    )
