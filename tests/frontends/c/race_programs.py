"""Random programs of C with atomics, fences, locks and threads: do they have a data race, and what does `verify` say?

`python -m tests.frontends.c.race_programs --count 300` prints what became of them.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

from sa.base.limits import limits
from sa.engines.verify import Options, verify
from sa.frontends.load import load_program
from sa.frontends.reading import Reading
from tests.frontends.c.happens_before import PLAIN, Block, Statement, races
from tests.frontends.c.tally import Tally, command, tally

LOADS, STORES = ("relaxed", "consume", "acquire", "seq_cst"), ("relaxed", "release", "seq_cst")
UPDATES = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
FENCES = ("acquire", "release", "acq_rel", "seq_cst")


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


def run(count: int, seed: int) -> Tally:
    """So many programs; the texts of those that do not agree."""
    return tally(count, seed, _judged)


def _judged(random: Random, folder: Path) -> tuple[str, str]:
    made = program(random)
    return compare(made, folder), text(made)


if __name__ == "__main__":
    command(__doc__, run)
