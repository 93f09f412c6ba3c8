"""Random programs of C with atomics, fences, locks and threads, and whether they have a data race, by definition.

The judge goes through all sequentially consistent runs of a program, with the set of events that happen before each
event, as C11 5.1.2.4 has them: modification orders with their release sequences, and fences. It shares nothing with
the front end but the text. `python -m tests.frontends.c.happens_before --count 300` prints what became of them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeAlias

from sa.base.limits import limits
from sa.engines.verify import Options, verify
from sa.frontends.load import load_program
from sa.frontends.reading import Reading

#: A statement: its kind, what it is about, and the statements in it.
Statement: TypeAlias = tuple[object, ...]
Block: TypeAlias = tuple[Statement, ...]
#: The number of an event: its thread, and how many this one had before.
Event: TypeAlias = tuple[int, int]
Events: TypeAlias = frozenset[Event]

MAX_STATES = 60_000
ACQUIRING, RELEASING = ("consume", "acquire", "acq_rel", "seq_cst"), ("release", "acq_rel", "seq_cst")
LOADS, STORES = ("relaxed", "consume", "acquire", "seq_cst"), ("relaxed", "release", "seq_cst")
UPDATES = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
FENCES = ("acquire", "release", "acq_rel", "seq_cst")


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
    owners: tuple[tuple[str, object], ...]
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
    rest = mind.rest[1:]
    event = (number, mind.count)
    on = mind._replace(rest=rest, count=mind.count + 1)
    owners, released = dict(state.owners), dict(state.released)

    def moved(mind: Mind, **changes: object) -> State:
        minds = tuple(mind._replace(past=mind.past | {event}) if i == number else m for i, m in enumerate(state.minds))
        return state._replace(minds=minds, **changes)

    match kind:
        case "write" | "read" | "if":
            place, value = arguments[0], arguments[1]
            if _is_race(state, mind.past, place, kind == "write", False):
                yield None
                return
            accesses = state.accesses | {(event, place, kind == "write", False)}
            at = PLAIN.index(place)
            plain = tuple(value if i == at and kind == "write" else v for i, v in enumerate(state.plain))
            if kind == "if" and state.plain[at] == value:
                on = on._replace(rest=(*arguments[2], *rest))
            yield moved(on, plain=plain, accesses=accesses)
        case "init" | "store" | "load" | "update" | "cas":
            yield from _atomic(state, number, mind, on, kind, arguments, moved)
        case "fence":
            order, past, fence = arguments[0], on.past, on.fence
            past = past | on.collected if order in ACQUIRING else past
            fence = past | {event} if order in RELEASING else fence
            yield moved(on._replace(past=past, fence=fence))
        case "lock":
            if arguments[0] not in owners:
                past = on.past | released.get(arguments[0], frozenset())
                inside = (*arguments[1], ("unlock", arguments[0]), *rest)
                taken = tuple(sorted({**owners, arguments[0]: number}.items()))
                yield moved(on._replace(past=past, rest=inside), owners=taken)
        case "try":
            lock, inside, otherwise = arguments
            if lock in owners:
                yield moved(on._replace(rest=(*otherwise, *rest)))
            else:
                past = on.past | released.get(lock, frozenset())
                taken = tuple(sorted({**owners, lock: number}.items()))
                yield moved(on._replace(past=past, rest=(*inside, ("unlock", lock), *rest)), owners=taken)
        case "unlock":
            del owners[arguments[0]]
            given = released.get(arguments[0], frozenset()) | on.past | {event}
            yield moved(on, owners=tuple(sorted(owners.items())), released=_with(released, arguments[0], given))
        case "read lock" | "write lock":
            readers = owners.get("readers", 0)
            if "writer" in owners or (kind == "write lock" and readers):
                return
            past = on.past | released.get("writer", frozenset())
            past |= released.get("readers", frozenset()) if kind == "write lock" else frozenset()
            owned = {"writer": number} if kind == "write lock" else {"readers": readers + 1}
            inside = (*arguments[0], ("rw unlock", next(iter(owned))), *rest)
            yield moved(on._replace(past=past, rest=inside), owners=tuple(sorted({**owners, **owned}.items())))
        case "rw unlock":
            left = owners[arguments[0]] - 1 if arguments[0] == "readers" else 0
            owners = {k: v for k, v in {**owners, arguments[0]: left}.items() if k != arguments[0] or left}
            given = released.get(arguments[0], frozenset()) | on.past | {event}
            yield moved(on, owners=tuple(sorted(owners.items())), released=_with(released, arguments[0], given))
        case "post":
            given = released.get("s", frozenset()) | on.past | {event}
            count = owners.get("s", 0) + 1
            yield moved(on, owners=tuple(sorted({**owners, "s": count}.items())), released=_with(released, "s", given))
        case "wait":
            if owners.get("s", 0):
                past = on.past | released.get("s", frozenset())
                left = {**owners, "s": owners["s"] - 1}
                yield moved(on._replace(past=past), owners=tuple(sorted(left.items())))
        case "create":
            made = Mind(threads[arguments[0]], 0, on.past | {event}, frozenset(), None)
            minds = moved(on).minds
            yield state._replace(minds=tuple(made if i == arguments[0] else m for i, m in enumerate(minds)))
        case "join":
            other = state.minds[arguments[0]]
            if other is not None and not other.rest:
                yield moved(on._replace(past=on.past | other.past))
        case _:
            raise ValueError(kind)


def _atomic(state, number, mind, on, kind, arguments, moved) -> Iterator[State | None]:  # type: ignore[no-untyped-def]
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
    yield moved(on, atomics=atomics, accesses=accesses)


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


def _with(released: dict[str, Events], name: str, given: Events) -> tuple[tuple[str, Events], ...]:
    return tuple(sorted({**released, name: given}.items()))


def block(random: Random, size: int, deep: int = 0) -> Block:
    """Some statements."""
    return tuple(_statement(random, deep) for _ in range(size))


def _statement(random: Random, deep: int) -> Statement:
    kinds = ["write", "write", "read", "read", "store", "store", "load", "load", "update", "fence"]
    kinds += [] if deep else ["lock", "cas", "try", "read lock", "write lock", "post", "wait", "init", "if", "load"]
    kind = random.choice(kinds)
    place, value = random.choice(PLAIN), random.randint(0, 1)
    atom = random.choice(("a", "a", "a", "b"))
    inside = block(random, random.randint(1, 2), deep + 1) if deep < 2 else ()
    match kind:
        case "write" | "read":
            return kind, place, value
        case "if":
            return kind, place, value, inside
        case "init":
            return kind, atom, value
        case "store":
            return kind, atom, random.randint(0, 2), random.choice(STORES)
        case "load":
            return kind, atom, random.randint(0, 2), random.choice(LOADS), inside
        case "update":
            return kind, atom, value, random.choice(UPDATES), inside
        case "cas":
            orders = random.choice(UPDATES), random.choice(LOADS)
            return kind, atom, value, value + 1, *orders, inside, block(random, 1, deep + 1)
        case "fence":
            return kind, random.choice(FENCES)
        case "lock":
            return kind, "m", inside
        case "try":
            return kind, "m", inside, block(random, 1, deep + 1)
        case "read lock" | "write lock":
            return kind, inside
        case _:
            return (kind,)


def _released(random: Random) -> Block:
    """Something that may release what came before."""
    fence: Block = (("fence", random.choice(FENCES)),) if random.random() < 0.3 else ()
    value = random.randint(1, 2)
    return random.choice(
        (
            (*fence, ("store", "a", value, random.choice(STORES))),
            (*fence, ("store", "a", value, random.choice(STORES)), ("store", "a", 2, random.choice(STORES))),
            (*fence, ("update", "a", 9, random.choice(UPDATES), ())),
            (*fence, ("cas", "a", 0, value, random.choice(UPDATES), random.choice(LOADS), (), ())),
            (("post",),),
            (("lock", "m", (("store", "a", 1, "relaxed"),)),),
            ((random.choice(("read lock", "write lock")), (("store", "a", 1, "relaxed"),)),),
        )
    )


def _acquired(random: Random, inside: Block) -> Block:
    """Something that may acquire what others have released, before what is in it."""
    inside = (("fence", random.choice(FENCES)), *inside) if random.random() < 0.3 else inside
    value = random.randint(1, 2)
    return random.choice(
        (
            (("load", "a", value, random.choice(LOADS), inside),),
            (("load", "a", value, "relaxed", (("load", "a", value, random.choice(LOADS), ()), *inside)),),
            (("update", "a", value, random.choice(UPDATES), inside),),
            (("cas", "a", value, 3, random.choice(UPDATES), random.choice(LOADS), inside, ()),),
            (("wait",), *inside),
            (("lock", "m", (("load", "a", 1, "relaxed", inside),)),),
            (("try", "m", (("load", "a", 1, "relaxed", inside),), ()),),
            (("try", "m", (), (("load", "a", 1, "relaxed", inside),)),),
            ((random.choice(("read lock", "write lock")), (("load", "a", 1, "relaxed", inside),)),),
        )
    )


def handed_on(random: Random) -> tuple[Block, ...]:
    """One thread writes and releases, one acquires and accesses, maybe one in between does either or something else."""
    access = (random.choice(("read", "write")), "x", 1)
    first = (("write", "x", 1), *_released(random))
    second = _acquired(random, (access,))
    third = random.choice(((), _released(random), _acquired(random, _released(random)), block(random, 1)))
    others = [o for o in (first, second, third) if o]
    main: list[Statement] = [("create", i) for i in range(1, len(others) + 1)]
    return tuple(main), *others


def program(random: Random) -> tuple[Block, ...]:
    """Main and one or two other threads, or three."""
    if random.random() < 0.6:
        return handed_on(random)
    number = random.choice((1, 2, 2))
    others = [block(random, random.randint(1, 3 if number == 2 else 4)) for _ in range(number)]
    main: list[Statement] = []
    for i in range(number):
        main += [("create", i + 1), *block(random, random.choice((0, 0, 1)))]
    main += block(random, random.randint(0, 2))
    for i in range(number):
        main += [("join", i + 1), *block(random, random.choice((0, 0, 1)))] if random.random() < 0.6 else []
    return tuple(main), *others


HEAD = """#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
int x, y; atomic_int a, b; pthread_mutex_t m; pthread_rwlock_t r; sem_t s;
"""


def text(threads: tuple[Block, ...]) -> str:
    """The program in C."""
    made = HEAD
    for number, body in enumerate(threads[1:], 1):
        made += f"void *f{number}(void *u) {{ int l, e;\n{_lines(body)}return 0; }}\n"
    return made + f"int main(void) {{ pthread_t t[4]; int l, e; sem_init(&s, 0, 0);\n{_lines(threads[0])}return 0; }}\n"


def _lines(body: Block, indent: str = "  ") -> str:
    return "".join(f"{indent}{_line(s, indent)}\n" for s in body)


def _line(statement: Statement, indent: str) -> str:
    def inner(body: object) -> str:
        return f"{{\n{_lines(body, indent + '  ')}{indent}}}"  # type: ignore[arg-type]

    def order(name: object) -> str:
        return f"memory_order_{name}"

    match statement:
        case "write", place, value:
            return f"{place} = {value};"
        case "read", place, _:
            return f"l = {place};"
        case "if", place, value, body:
            return f"if ({place} == {value}) {inner(body)}"
        case "init", place, value:
            return f"atomic_init(&{place}, {value});"
        case "store", place, value, how:
            return f"atomic_store_explicit(&{place}, {value}, {order(how)});"
        case "load", place, value, how, body:
            return f"if (atomic_load_explicit(&{place}, {order(how)}) == {value}) {inner(body)}"
        case "update", place, value, how, body:
            return f"if (atomic_fetch_add_explicit(&{place}, 1, {order(how)}) == {value}) {inner(body)}"
        case "cas", place, old, new, how, failing, body, other:
            call = f"atomic_compare_exchange_strong_explicit(&{place}, &e, {new}, {order(how)}, {order(failing)})"
            return f"e = {old}; if ({call}) {inner(body)} else {inner(other)}"
        case "fence", how:
            return f"atomic_thread_fence({order(how)});"
        case "lock", lock, body:
            return f"pthread_mutex_lock(&{lock}); {inner(body)} pthread_mutex_unlock(&{lock});"
        case "try", lock, body, other:
            freed = f"{inner(body)} pthread_mutex_unlock(&{lock});"
            return f"if (!pthread_mutex_trylock(&{lock})) {{ {freed} }} else {inner(other)}"
        case "read lock", body:
            return f"pthread_rwlock_rdlock(&r); {inner(body)} pthread_rwlock_unlock(&r);"
        case "write lock", body:
            return f"pthread_rwlock_wrlock(&r); {inner(body)} pthread_rwlock_unlock(&r);"
        case ("post",):
            return "sem_post(&s);"
        case ("wait",):
            return "sem_wait(&s);"
        case "create", number:
            return f"pthread_create(&t[{number}], 0, f{number}, 0);"
        case "join", number:
            return f"pthread_join(t[{number}], 0);"
        case _:
            raise ValueError(statement)


def compare(threads: tuple[Block, ...], folder: Path, seconds: float = 20.0) -> str:
    """What became of a program."""
    wanted = races(threads)
    if wanted is None:
        return "too large"
    path = folder / "prog.c"
    path.write_text(text(threads))
    loaded = load_program(str(path), reading=Reading(only="no-data-race"))
    verdict = verify(loaded.program, Options(limits(seconds, None))).verdict
    answer = "PROVED" if verdict is None else verdict.value
    if answer == "UNKNOWN":
        return "unknown"
    right = answer == ("REFUTED" if wanted else "PROVED")
    return answer if right else f"wrong: {answer}"


def run(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """So many programs; the texts of those that do not agree."""
    tally, wrong = Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as name:
        for number in range(count):
            made = program(Random(f"{seed}-{number}"))
            result = compare(made, Path(name))
            tally[result.split(":")[0]] += 1
            if result.startswith("wrong"):
                wrong.append(f"/* {seed}-{number}: {result} */\n{text(made)}")
    return tally, wrong


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tally, wrong = run(options.count, options.seed)
    for found in wrong[:3]:
        print(found)
    print(dict(tally), file=sys.stderr)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
