"""Data races by happens-before (C11 5.1.2.4): for each way to order two accesses, and what looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.verdict import Verdict
from sa.frontends.reading import Reading
from tests.frontends.c.programs import threads, verdict
from tests.frontends.c.race_programs import run
from tests.parts import for_each

RACES = Reading(only="no-data-race")
SHARED = "int data; atomic_int flag, other;"


def passed(writer: str, reader: str, shared: str = SHARED) -> str:
    """The data is written before `writer`, and read in the body of `reader`."""
    return threads(f"data = 1; {writer}", reader.replace("BODY", "{ int l = data; }"), shared=shared)


def store(order: str, name: str = "flag") -> str:
    return f"atomic_store_explicit(&{name}, 1, memory_order_{order});"


def load(order: str, name: str = "flag") -> str:
    return f"if (atomic_load_explicit(&{name}, memory_order_{order})) BODY"


def fence(order: str) -> str:
    return f"atomic_thread_fence(memory_order_{order});"


def update(order: str) -> str:
    return f"if (atomic_fetch_add_explicit(&flag, 1, memory_order_{order}) == 1) BODY"


def swap(order: str, failing: str, wanted: int = 1) -> str:
    orders = f"memory_order_{order}, memory_order_{failing}"
    return f"int e = {wanted}; int done = atomic_compare_exchange_strong_explicit(&flag, &e, 2, {orders});"


ORDERS = (
    (passed(store("release"), load("acquire")), "PROVED"),
    (passed(store("release"), load("consume")), "PROVED"),
    (passed("flag = 1;", "if (flag) BODY"), "PROVED"),
    (passed(store("relaxed"), load("acquire")), "REFUTED"),
    (passed(store("release"), load("relaxed")), "REFUTED"),
    (passed(fence("release") + store("relaxed"), load("acquire")), "PROVED"),
    (passed(store("relaxed") + fence("release"), load("acquire")), "REFUTED"),
    (passed(store("release"), load("relaxed").replace("BODY", "{" + fence("acquire") + " int l = data; }")), "PROVED"),
    (passed(store("release"), fence("acquire") + load("relaxed")), "REFUTED"),
    (
        passed(
            fence("acq_rel") + store("relaxed"),
            load("relaxed").replace("BODY", "{" + fence("seq_cst") + " int l = data; }"),
        ),
        "PROVED",
    ),
    (passed("atomic_signal_fence(memory_order_release);" + store("relaxed"), load("acquire")), "REFUTED"),
    (passed("__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);", "if (__atomic_load_n(&flag, 2)) BODY"), "PROVED"),
    (passed("__atomic_store_n(&flag, 1, __ATOMIC_RELAXED);", "if (__atomic_load_n(&flag, 2)) BODY"), "REFUTED"),
)


@for_each("case", ORDERS)
def test_a_load_that_acquires_happens_after_the_release_that_it_reads(tmp_path: Path, case: tuple[str, str]) -> None:
    text, expected = case
    assert verdict(tmp_path, text, reading=RACES).value == expected  # type: ignore[union-attr]


def sequence(between: str, reader: str = "if (atomic_load(&flag) == 2) BODY", own: str = "") -> str:
    """Data is released with 1; another thread does something in between that makes it 2."""
    second = f"if (atomic_load_explicit(&flag, memory_order_relaxed) == 1) {{ {between} }}"
    body = reader.replace("BODY", "{ int l = data; }")
    return threads(f"data = 1; {store('release')} {own}", second, body, shared=SHARED)


SEQUENCES = (
    (sequence("atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);"), "PROVED"),
    (sequence("atomic_exchange_explicit(&flag, 2, memory_order_relaxed);"), "PROVED"),
    (sequence("atomic_store_explicit(&flag, 2, memory_order_relaxed);"), "REFUTED"),
    (sequence("atomic_store_explicit(&flag, 2, memory_order_release);"), "REFUTED"),
    (sequence("", own="atomic_store_explicit(&flag, 2, memory_order_relaxed);"), "PROVED"),
    (sequence("int e = 1; atomic_compare_exchange_strong_explicit(&flag, &e, 2, memory_order_relaxed, 0);"), "PROVED"),
    (sequence("atomic_init(&flag, 2);"), "REFUTED"),
)


@for_each("case", SEQUENCES)
def test_a_release_sequence_goes_on_with_updates_and_with_stores_of_its_thread(
    tmp_path: Path, case: tuple[str, str]
) -> None:
    """That stores of its own thread go on is C11 5.1.2.4p10; C++20 has only updates."""
    text, expected = case
    assert verdict(tmp_path, text, reading=RACES).value == expected  # type: ignore[union-attr]


UPDATES = (
    (passed(store("release"), update("acquire")), "PROVED"),
    (passed(store("release"), update("acq_rel")), "PROVED"),
    (passed(store("release"), update("relaxed")), "REFUTED"),
    (passed(store("release"), update("release")), "REFUTED"),
    (passed("atomic_fetch_add_explicit(&flag, 1, memory_order_release);", load("acquire")), "PROVED"),
    (passed("atomic_fetch_add_explicit(&flag, 1, memory_order_acquire);", load("acquire")), "REFUTED"),
    (passed("flag++;", "if (flag) BODY"), "PROVED"),
    (passed(store("release"), swap("acquire", "relaxed") + " if (done) BODY"), "PROVED"),
    (passed(store("release"), swap("relaxed", "relaxed") + " if (done) BODY"), "REFUTED"),
    (passed(store("release"), swap("acquire", "acquire", 0) + " if (e == 1) BODY"), "PROVED"),
    (passed(store("release"), swap("acquire", "relaxed", 0) + " if (e == 1) BODY"), "REFUTED"),
    (passed(store("release"), swap("release", "acquire", 0) + " if (e == 1) BODY"), "PROVED"),
)


@for_each("case", UPDATES)
def test_an_update_orders_as_far_as_its_order_says_and_one_that_fails_by_its_own(
    tmp_path: Path, case: tuple[str, str]
) -> None:
    text, expected = case
    assert verdict(tmp_path, text, reading=RACES).value == expected  # type: ignore[union-attr]


#: What makes a monitor necessary, and orders nothing.
WEAK = "atomic_fetch_add_explicit(&other, 1, memory_order_relaxed);"
LOCKS = (
    SHARED + "pthread_mutex_t m; pthread_rwlock_t r; sem_t s; pthread_once_t o; pthread_barrier_t b; pthread_cond_t c;"
)
TOOLS = "#include <semaphore.h>\n"


def owned(first: str, second: str, setup: str = "") -> str:
    """Two threads with the data, both of them with something that orders nothing before."""
    made = threads(f"{WEAK} {first}", f"{WEAK} {second}", shared=TOOLS + SHARED + LOCKS)
    return made.replace("int main(void) {", f"int main(void) {{ {setup}")


BARRIER = "pthread_barrier_init(&b, 0, 2);"
LOCKING = "pthread_mutex_lock(&m); data++; pthread_mutex_unlock(&m);"
TRYING = "if (pthread_mutex_trylock(&m)) { BODY }"
ONCE = "void set(void) { data = 1; }\n"
OBJECTS = (
    (owned(LOCKING, LOCKING), "PROVED"),
    (owned(LOCKING, "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); data++;"), "REFUTED"),
    (owned("data = 1; pthread_mutex_lock(&m); while (1) ;", TRYING.replace("BODY", "data = 2;")), "REFUTED"),
    (
        owned("data = 1; pthread_mutex_lock(&m); flag = 1; while (1) ;", TRYING.replace("BODY", "if (flag) data = 2;")),
        "PROVED",
    ),
    (owned("data = 1; sem_post(&s);", "sem_wait(&s); data = 2;"), "PROVED"),
    (owned("sem_post(&s); data = 1;", "sem_wait(&s); data = 2;"), "REFUTED"),
    (owned("data = 1; sem_wait(&s);", "sem_wait(&s); data = 2;", "sem_init(&s, 0, 2);"), "REFUTED"),
    (
        owned("data = 1; pthread_barrier_wait(&b);", "pthread_barrier_wait(&b); data = 2;", BARRIER),
        "PROVED",
    ),
    (
        owned("pthread_barrier_wait(&b); data = 1;", "pthread_barrier_wait(&b); data = 2;", BARRIER),
        "REFUTED",
    ),
    (ONCE + owned("pthread_once(&o, set); int l = data;", "pthread_once(&o, set); int l = data;"), "PROVED"),
    (ONCE + owned("pthread_once(&o, set);", "int l = data;"), "REFUTED"),
    (
        owned(
            "pthread_rwlock_wrlock(&r); data = 1; pthread_rwlock_unlock(&r);",
            "pthread_rwlock_rdlock(&r); int l = data; pthread_rwlock_unlock(&r);",
        ),
        "PROVED",
    ),
    (
        owned(
            "pthread_rwlock_rdlock(&r); data = 1; pthread_rwlock_unlock(&r);",
            "pthread_rwlock_rdlock(&r); int l = data; pthread_rwlock_unlock(&r);",
        ),
        "REFUTED",
    ),
    (
        owned(
            "pthread_mutex_lock(&m); data = 1; flag = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); while (!flag) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); data = 2;",
        ),
        "PROVED",
    ),
    (
        owned(
            "pthread_mutex_lock(&m); pthread_cond_signal(&c); pthread_mutex_unlock(&m); data = 1;",
            "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); data = 2;",
        ),
        "REFUTED",
    ),
    (owned("__VERIFIER_atomic_begin(); data++; __VERIFIER_atomic_end();",
           "__VERIFIER_atomic_begin(); data++; __VERIFIER_atomic_end();"), "PROVED"),
    (owned("__VERIFIER_atomic_begin(); data++; __VERIFIER_atomic_end();", "data++;"), "REFUTED"),
)  # fmt: skip


@for_each("case", OBJECTS)
def test_objects_of_the_library_order_what_is_released_before_what_acquires_it(
    tmp_path: Path, case: tuple[str, str]
) -> None:
    text, expected = case
    text = text if text.startswith(ONCE) is False else text.replace(ONCE, "").replace("void *f0", f"{ONCE}void *f0", 1)
    declared = "void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);\n"
    assert verdict(tmp_path, declared + text, reading=RACES).value == expected  # type: ignore[union-attr]


CREATED = """
int data; atomic_int weak; pthread_t t, u;
void *w(void *a) {{ atomic_fetch_add_explicit(&weak, 1, memory_order_relaxed); {body} return 0; }}
int main(void) {{ {before} pthread_create(&t, 0, w, 0); {between} pthread_join(t, 0); {after} return 0; }}
"""


@for_each(
    "case",
    (
        (("data = 1;", "data = 2;", "", "data = 3;"), "PROVED"),
        (("", "data = 2;", "data = 3;", ""), "REFUTED"),
        (("", "pthread_t own = t;", "", ""), "REFUTED"),
        (("", "pthread_t own = u;", "", "u = t;"), "PROVED"),
    ),
)
def test_a_thread_happens_after_its_creation_and_before_who_joins_it(
    tmp_path: Path, case: tuple[tuple[str, str, str, str], str]
) -> None:
    """Its number is written behind its creation."""
    (before, body, between, after), expected = case
    for strong in (False, True):
        text = CREATED.format(before=before, body=body, between=between, after=after)
        if strong:
            text = text.replace("memory_order_relaxed", "memory_order_seq_cst")
        assert verdict(tmp_path, text, reading=RACES).value == expected  # type: ignore[union-attr]


#: Where the data is; `$` stands for an access.
PLACES = (
    ("int data;", "data"),
    ("int x; int *p = &x;", "*p"),
    ("int a[3];", "a[1]"),
    ("int a[100]; extern int __VERIFIER_nondet_int(void);", "a[n]"),
    ("struct { int n; struct { int k; } in; } s;", "s.in.k"),
    ("struct { unsigned a : 3; unsigned b : 4; } s;", "s.a"),
    ("int *h;", "h[1]"),
)


@for_each("place", PLACES)
def test_what_is_released_may_be_anywhere_in_memory(tmp_path: Path, place: tuple[str, str]) -> None:
    declared, access = place
    made = threads(
        f"int n = 7; {access} = 1; {store('release')}",
        f"int n = 7; if (atomic_load_explicit(&flag, memory_order_acquire)) {access} = 2; {WEAK}",
        shared=f"#include <stdlib.h>\natomic_int flag, other; {declared}",
    )
    if "h[1]" in access:
        made = made.replace("int main(void) {", "int main(void) { h = malloc(2 * sizeof(int)); ")
    assert verdict(tmp_path, made, reading=RACES).value == "PROVED"  # type: ignore[union-attr]
    weaker = made.replace("memory_order_acquire", "memory_order_relaxed")
    assert verdict(tmp_path, weaker, reading=RACES).value == "REFUTED"  # type: ignore[union-attr]


@for_each(
    "case",
    (
        ("_Thread_local int data;", "PROVED"),
        ("int data;", "REFUTED"),
        ("atomic_int data;", "PROVED"),
        ("volatile int data;", "REFUTED"),
    ),
)
def test_only_plain_memory_of_several_threads_races(tmp_path: Path, case: tuple[str, str]) -> None:
    declared, expected = case
    made = threads(f"{WEAK} data = 1;", f"{WEAK} data = 2;", shared=f"atomic_int other; {declared}")
    assert verdict(tmp_path, made, reading=RACES).value == expected  # type: ignore[union-attr]


ATOMICS = (
    ("atomic_init(&x, 1);", "x = 2;", "REFUTED"),
    ("atomic_store(&x, 1);", "x = 2;", "PROVED"),
    ("memset((void *) &x, 0, sizeof x);", "x = 2;", "REFUTED"),
    ("atomic_init(&x, 1);", "int l = y;", "PROVED"),
    ("y = 1;", "__atomic_store_n(&y, 2, __ATOMIC_RELAXED);", "REFUTED"),
    ("__atomic_store_n(&y, 1, __ATOMIC_RELAXED);", "__atomic_store_n(&y, 2, __ATOMIC_RELAXED);", "PROVED"),
)


@for_each("case", ATOMICS)
def test_a_plain_access_races_with_an_atomic_one(tmp_path: Path, case: tuple[str, str, str]) -> None:
    first, second, expected = case
    shared = "#include <string.h>\natomic_int x; int y;"
    assert verdict(tmp_path, threads(first, second, shared=shared), reading=RACES).value == expected  # type: ignore[union-attr]


FREED = """
#include <stdlib.h>
int *p; atomic_int flag, other;
void *f0(void *a) {{ {first} return 0; }}
void *f1(void *a) {{ {second} return 0; }}
int main(void) {{ pthread_t t, u; p = malloc(2 * sizeof(int)); p[1] = 0;
    pthread_create(&t, 0, f0, 0); pthread_create(&u, 0, f1, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }}
"""


@for_each(
    "case",
    (
        ("p[1] = 1;", "free(p);", "REFUTED"),
        (f"p[1] = 1; {store('release')}", "if (flag) free(p);", "PROVED"),
        (f"p[1] = 1; {store('relaxed')}", "if (flag) free(p);", "REFUTED"),
        (f"free(p); {store('relaxed')}", "if (flag) p[1] = 1;", "REFUTED"),
        (f"p[1] = 1; {store('relaxed')}", "int l = flag;", "PROVED"),
    ),
)
def test_to_free_memory_is_to_write_all_of_it(tmp_path: Path, case: tuple[str, str, str]) -> None:
    first, second, expected = case
    text = FREED.format(first=first, second=second)
    assert verdict(tmp_path, text, reading=RACES).value == expected  # type: ignore[union-attr]


MANY = """
int data; atomic_int flags[100]; extern int __VERIFIER_nondet_int(void);
void *w(void *a) {{ data = 1; atomic_store_explicit(&flags[70], 1, memory_order_{store}); return 0; }}
int main(void) {{ pthread_t t; int n = __VERIFIER_nondet_int(); pthread_create(&t, 0, w, 0);
    if (n >= 0 && n < 100 && atomic_load_explicit(&flags[n], memory_order_{load})) data = 2; return 0; }}
"""


@for_each(
    "case", (("release", "acquire", "PROVED"), ("release", "relaxed", "REFUTED"), ("relaxed", "acquire", "REFUTED"))
)
def test_elements_of_large_arrays_order_accesses(tmp_path: Path, case: tuple[str, str, str]) -> None:
    released, acquired, expected = case
    text = MANY.format(store=released, load=acquired)
    assert verdict(tmp_path, text, reading=RACES).value == expected  # type: ignore[union-attr]


FAMILY = """
extern int __VERIFIER_nondet_int(void);
int data; atomic_int flag, weak;
void *w(void *a) {{ {body} return 0; }}
int main(void) {{ pthread_t t; while (__VERIFIER_nondet_int()) pthread_create(&t, 0, w, 0); {main} return 0; }}
"""


@for_each(
    "case",
    (
        ("data = 1; atomic_store_explicit(&flag, 1, memory_order_release);", "", "REFUTED"),
        (load("acquire").replace("BODY", "{ int l = data; }"), f"data = 1; {store('release')}", "PROVED"),
        (load("relaxed").replace("BODY", "{ int l = data; }"), f"data = 1; {store('release')}", "REFUTED"),
    ),
)
def test_any_number_of_threads_may_race(tmp_path: Path, case: tuple[str, str, str]) -> None:
    body, main, expected = case
    text = FAMILY.format(body=body, main=main)
    assert verdict(tmp_path, text, 40.0, RACES).value == expected  # type: ignore[union-attr]


@pytest.mark.parametrize(("count", "seed"), [(20, 7), pytest.param(300, 8, marks=pytest.mark.fuzz)])
def test_random_programs_have_a_race_where_the_definition_says_so(count: int, seed: int) -> None:
    tally, wrong = run(count, seed)
    assert wrong == []
    assert tally["PROVED"] > count * 0.2 and tally["REFUTED"] > count * 0.2


def test_who_frees_without_the_lock_races_with_who_writes_under_it(tmp_path: Path) -> None:
    """To free an object is to write it: all other accesses have a lock in common."""
    shared = "#include <stdlib.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int *p;"
    writes = "pthread_mutex_lock(&m); if (p) *p = 2; pthread_mutex_unlock(&m);"
    taken = "pthread_mutex_lock(&m); int *q = p; {} pthread_mutex_unlock(&m); {}"
    for inside, outside, expected in (
        ("", "free(q);", "REFUTED"),
        ("p = 0;", "free(q);", "PROVED"),
        ("p = 0; free(q);", "", "PROVED"),
    ):
        text = threads(writes, taken.format(inside, outside), shared=shared)
        text = text.replace("pthread_t t[2];", "pthread_t t[2]; p = malloc(sizeof *p);")
        found = verdict(tmp_path, text, reading=RACES)
        assert found is not None and found.name == expected


#: Readers count themselves before they follow the pointer; who replaces the object waits for them.
REPLACED = """#include <stdlib.h>
struct pair { int a, b; }; struct pair *_Atomic at; atomic_int readers;
void put(int v) {
  struct pair *p = malloc(sizeof *p); p->a = v; p->b = v; struct pair *old = atomic_exchange(&at, p);
  while (atomic_load(&readers)) ; free(old);
}
void *get(void *x) { %s int s = p->a - p->b; atomic_fetch_sub(&readers, 1); assert(s == 0); return 0; }
int main(void) {
  pthread_t t, u; put(1); pthread_create(&t, 0, get, 0); pthread_create(&u, 0, get, 0); put(2);
  pthread_join(t, 0); pthread_join(u, 0); }"""
COUNTED, FOLLOWED = "atomic_fetch_add(&readers, 1);", "struct pair *p = atomic_load(&at);"


@pytest.mark.parametrize(("first", "answer"), [(COUNTED + FOLLOWED, "PROVED"), (FOLLOWED + COUNTED, "REFUTED")])
def test_races_through_pointers_take_no_first_values_of_pointers(tmp_path: Path, first: str, answer: str) -> None:
    assert verdict(tmp_path, REPLACED % first, reading=Reading(races=True)) is Verdict(answer)
