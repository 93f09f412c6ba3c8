"""Memory, variables and what threads synchronise with have lifetimes (C11 6.2.4, 7.22.3; POSIX): used outside of them,
ended twice or ended while in use, they make `verify` refute; the same program with the two steps in order is proved.
"""

from __future__ import annotations

from pathlib import Path

from sa.automata.automaton import Fault
from sa.frontends.reading import Reading
from tests.frontends.c.programs import faults, program
from tests.parts import for_each

ALLOCATING = "#include <stdlib.h>\n#include <semaphore.h>\n#include <threads.h>\n"
NODE = "struct node { int value; struct node *next; };\nextern int __VERIFIER_nondet_int(void);\n"


def in_main(statements: str) -> str:
    return f"int main(void) {{ {statements} return 0; }}"


def beside(worker: str, main: str, shared: str = "", before: str = "") -> str:
    """A program whose second thread does one thing while the first does another one; `before` comes first."""
    first = f"int main(void) {{ pthread_t t; {before} pthread_create(&t, 0, w, 0); {main} return 0; }}"
    return f"{shared} void *w(void *a) {{ {worker} return 0; }} {first}"


#: Each with the fault that it has, or none.
MEMORY = {
    "used before it is freed": (in_main("int *p = malloc(sizeof *p); *p = 1; free(p);"), None),
    "used after it is freed": (in_main("int *p = malloc(sizeof *p); free(p); *p = 1;"), Fault.FREED),
    "read after it is freed": (in_main("int *p = malloc(sizeof *p); *p = 1; free(p); assert(*p == 1);"), Fault.FREED),
    "used through a second pointer": (in_main("int *p = malloc(sizeof *p), *q = p; free(p); *q = 1;"), Fault.FREED),
    "freed once": (in_main("int *p = malloc(sizeof *p), *q = p; free(q);"), None),
    "freed twice": (in_main("int *p = malloc(sizeof *p), *q = p; free(p); free(q);"), Fault.FREED_TWICE),
    "freed twice on one way only": (
        in_main("int *p = malloc(sizeof *p); if (__VERIFIER_nondet_int()) free(p); free(p);"),
        Fault.FREED_TWICE,
    ),
    "set to 0 when it is freed": (in_main("int *p = malloc(sizeof *p); free(p); p = 0; free(p);"), None),
    "a part is freed": (in_main("struct node *p = malloc(sizeof *p); free(&p->next);"), Fault.NOT_ALLOCATED),
    "the first part is freed": (in_main("struct node *p = malloc(sizeof *p); free(&p->value);"), None),
    "a variable is freed": (in_main("int x; int *p = &x; free(p);"), Fault.NOT_ALLOCATED),
    "a static variable is freed": ("int x;" + in_main("free(&x);"), Fault.NOT_ALLOCATED),
    "an element of a large array is freed": (
        in_main("int *p = malloc(100 * sizeof *p); free(p + 1);"),
        Fault.NOT_ALLOCATED,
    ),
    "a large array is used after it is freed": (
        in_main("int *p = malloc(100 * sizeof *p); int i = 7; free(p); p[i] = 1;"),
        Fault.FREED,
    ),
    "`realloc` ends the old object": (
        in_main("int *p = malloc(sizeof *p), *q; *p = 1; q = realloc(p, 2 * sizeof *p); *p = 2; free(q);"),
        Fault.FREED,
    ),
    "`realloc` of what was freed": (
        in_main("int *p = malloc(sizeof *p); *p = 1; free(p); p = realloc(p, 2 * sizeof *p);"),
        Fault.FREED_TWICE,
    ),
    "`realloc` hands over the new object": (
        in_main("int *p = malloc(sizeof *p); *p = 1; p = realloc(p, 2 * sizeof *p); *p = 2; free(p);"),
        None,
    ),
    "a new object in each round": (
        in_main("for (int i = 0; i < 3; i++) { int *p = malloc(sizeof *p); *p = i; free(p); }"),
        None,
    ),
    "the object of the last round": (
        in_main(
            "int *q = 0; for (int i = 0; i < 3; i++) { int *p = malloc(sizeof *p); if (q) *q = 1; free(p); q = p; }"
        ),
        Fault.FREED,
    ),
}


@for_each("name", tuple(MEMORY))
def test_memory_is_used_while_it_lives_and_freed_once(name: str, tmp_path: Path) -> None:
    text, fault = MEMORY[name]
    assert faults(tmp_path, ALLOCATING + NODE + text) == (set() if fault is None else {fault})


JOINED, MADE = "pthread_join(t, 0);", "p = malloc(sizeof *p);"
SHARED = {
    "freed behind the join": (beside("*p = 1;", f"{JOINED} free(p);", "int *p;", MADE), None),
    "freed before the join": (beside("*p = 1;", f"free(p); {JOINED}", "int *p;", MADE), Fault.FREED),
    "freed by the other thread": (beside("*p = 1; free(p);", JOINED, "int *p;", MADE), None),
    "freed by the other thread, used behind the join": (
        beside("free(p);", f"{JOINED} *p = 1;", "int *p;", MADE),
        Fault.FREED,
    ),
    "freed by both": (beside("free(p);", f"free(p); {JOINED}", "int *p;", MADE), Fault.FREED_TWICE),
    "freed by whoever takes it": (
        beside(
            "int *q = atomic_exchange(&p, 0); free(q);",
            f"int *q = atomic_exchange(&p, 0); free(q); {JOINED}",
            "int *_Atomic p;",
            MADE,
        ),
        None,
    ),
    "under a lock, and looked for": (
        beside(
            "pthread_mutex_lock(&m); if (p) *p = 1; pthread_mutex_unlock(&m);",
            f"pthread_mutex_lock(&m); free(p); p = 0; pthread_mutex_unlock(&m); {JOINED}",
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int *p;",
            MADE,
        ),
        None,
    ),
    "under a lock, and not forgotten": (
        beside(
            "pthread_mutex_lock(&m); if (p) *p = 1; pthread_mutex_unlock(&m);",
            f"pthread_mutex_lock(&m); free(p); pthread_mutex_unlock(&m); {JOINED}",
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int *p;",
            MADE,
        ),
        Fault.FREED,
    ),
}


@for_each("name", tuple(SHARED))
def test_memory_that_threads_share_is_used_by_none_after_its_end(name: str, tmp_path: Path) -> None:
    text, fault = SHARED[name]
    assert faults(tmp_path, ALLOCATING + NODE + text) == (set() if fault is None else {fault})


VARIABLES = {
    "in its block": (in_main("int *p; { int x = 1; p = &x; *p = 2; }"), None),
    "behind its block": (in_main("int *p; { int x = 1; p = &x; } *p = 2;"), Fault.ENDED),
    "behind a block that `break` leaves": (
        in_main("int *p = 0; while (1) { int x = 1; p = &x; if (x) break; } *p = 2;"),
        Fault.ENDED,
    ),
    "behind a block that `goto` leaves": (
        in_main("int *p; { int x = 1; p = &x; goto out; } out: *p = 2;"),
        Fault.ENDED,
    ),
    "in a block that `goto` goes round in": (
        in_main("int n = 0; { int x = 1, *p = &x; again: *p = n; if (n++ < 2) goto again; }"),
        None,
    ),
    "of the round before": (
        in_main("int *p = 0; for (int i = 0; i < 2; i++) { if (p) *p = 1; int x; p = &x; }"),
        Fault.ENDED,
    ),
    "of this round": (in_main("int *p = 0; for (int i = 0; i < 2; i++) { int x; p = &x; *p = 1; }"), None),
    "of a loop": (in_main("int *p = 0; for (int i = 0; i < 2; i++) p = &i; *p = 1;"), Fault.ENDED),
    "of a function": (
        "int *f(void) { int x = 1, *p = &x; return p; }" + in_main("*f() = 1;"),
        Fault.ENDED,
    ),
    "a parameter of a function": (
        "int *f(int x) { return &x; }" + in_main("*f(1) = 1;"),
        Fault.ENDED,
    ),
    "of a function that calls": ("void f(int *p) { *p = 1; }" + in_main("int x; f(&x); { int y; f(&y); }"), None),
    "static, of a function": ("int *f(void) { static int x; return &x; }" + in_main("*f() = 1;"), None),
    "a literal behind its block": (
        NODE + in_main("struct node *p; { p = &(struct node) { 1, 0 }; } p->value = 1;"),
        Fault.ENDED,
    ),
    "of `main`, joined before": (
        "void *w(void *a) { *(int *)a = 1; return 0; }"
        + in_main("int x; pthread_t t; pthread_create(&t, 0, w, &x); pthread_join(t, 0);"),
        None,
    ),
    "of a function that does not join": (
        "pthread_t t; void *w(void *a) { *(int *)a = 1; return 0; }"
        "void f(void) { int x; pthread_create(&t, 0, w, &x); }" + in_main("f(); pthread_join(t, 0);"),
        Fault.ENDED,
    ),
    "of a function that joins": (
        "pthread_t t; void *w(void *a) { *(int *)a = 1; return 0; }"
        "void f(void) { int x; pthread_create(&t, 0, w, &x); pthread_join(t, 0); }" + in_main("f();"),
        None,
    ),
    "of `main`, which ends with the process": (
        "void *w(void *a) { *(int *)a = 1; return 0; }" + in_main("int x; pthread_t t; pthread_create(&t, 0, w, &x);"),
        None,
    ),
    "of a block of `main` from which the process ends": (
        "void *w(void *a) { *(int *)a = 1; return 0; }"
        + in_main("pthread_t t; { int x; pthread_create(&t, 0, w, &x); return 0; }"),
        None,
    ),
    "of `main`, which leaves by itself": (
        "void *w(void *a) { *(int *)a = 1; return 0; }"
        + in_main("int x; pthread_t t; pthread_create(&t, 0, w, &x); pthread_exit(0);"),
        Fault.ENDED,
    ),
    "of a thread that has ended": (
        beside("p = &own;", f"{JOINED} *p = 1;", "_Thread_local int own; int *p;"),
        Fault.ENDED,
    ),
    "of a thread that runs": (beside("p = &own; *p = 1;", JOINED, "_Thread_local int own; int *p;"), None),
}


@for_each("name", tuple(VARIABLES))
def test_a_variable_is_used_up_to_the_end_of_its_block_or_thread(name: str, tmp_path: Path) -> None:
    text, fault = VARIABLES[name]
    assert faults(tmp_path, ALLOCATING + text) == (set() if fault is None else {fault})


MUTEX = "pthread_mutex_t m;"
SYNCHRONISING = {
    "a static mutex that is all zero": (MUTEX + in_main("pthread_mutex_lock(&m); pthread_mutex_unlock(&m);"), None),
    "a static condition, rwlock and semaphore": (
        "pthread_cond_t c; pthread_rwlock_t r; sem_t s;"
        + in_main("pthread_cond_signal(&c); pthread_rwlock_rdlock(&r); pthread_rwlock_unlock(&r); sem_post(&s);"),
        None,
    ),
    "a static barrier": ("pthread_barrier_t b;" + in_main("pthread_barrier_wait(&b);"), Fault.RAW),
    "an initialised barrier": (
        "pthread_barrier_t b;" + in_main("pthread_barrier_init(&b, 0, 1); pthread_barrier_wait(&b);"),
        None,
    ),
    "a static spin lock": ("pthread_spinlock_t l;" + in_main("pthread_spin_lock(&l);"), Fault.RAW),
    "an initialised spin lock": (
        "pthread_spinlock_t l;" + in_main("pthread_spin_init(&l, 0); pthread_spin_lock(&l); pthread_spin_unlock(&l);"),
        None,
    ),
    "a mutex of a block": (in_main("pthread_mutex_t m; pthread_mutex_lock(&m);"), Fault.RAW),
    "a mutex of a block that is initialised": (
        in_main("pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); pthread_mutex_unlock(&m);"),
        None,
    ),
    "a mutex in allocated memory": (
        in_main("pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_lock(m);"),
        Fault.RAW,
    ),
    "a mutex in cleared memory": (
        in_main("pthread_mutex_t *m = calloc(1, sizeof *m); pthread_mutex_lock(m); pthread_mutex_unlock(m); free(m);"),
        None,
    ),
    "a semaphore of a block": (in_main("sem_t s; sem_post(&s);"), Fault.RAW),
    "a destroyed mutex": (MUTEX + in_main("pthread_mutex_destroy(&m); pthread_mutex_lock(&m);"), Fault.DESTROYED),
    "a mutex that is destroyed twice": (
        MUTEX + in_main("pthread_mutex_destroy(&m); pthread_mutex_destroy(&m);"),
        Fault.DESTROYED,
    ),
    "a mutex that is destroyed and initialised": (
        MUTEX
        + in_main(
            "pthread_mutex_destroy(&m); pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); pthread_mutex_unlock(&m);"
        ),
        None,
    ),
    "a mutex that is destroyed while it is held": (
        MUTEX + in_main("pthread_mutex_lock(&m); pthread_mutex_destroy(&m);"),
        Fault.IN_USE,
    ),
    "a destroyed mutex of C11": (
        "mtx_t m;" + in_main("mtx_init(&m, 0); mtx_destroy(&m); mtx_lock(&m);"),
        Fault.DESTROYED,
    ),
    "a rwlock that is destroyed while it is read": (
        "pthread_rwlock_t r;" + in_main("pthread_rwlock_rdlock(&r); pthread_rwlock_destroy(&r);"),
        Fault.IN_USE,
    ),
    "a destroyed semaphore": (
        "sem_t s;" + in_main("sem_init(&s, 0, 1); sem_destroy(&s); sem_wait(&s);"),
        Fault.DESTROYED,
    ),
    "a destroyed condition": (
        "pthread_cond_t c;" + in_main("pthread_cond_destroy(&c); pthread_cond_signal(&c);"),
        Fault.DESTROYED,
    ),
    "a lock that another thread still takes": (
        beside("pthread_mutex_lock(&m); pthread_mutex_unlock(&m);", f"pthread_mutex_destroy(&m); {JOINED}", MUTEX),
        None,
    ),
    "a lock that nobody takes any more": (
        beside("pthread_mutex_lock(&m); pthread_mutex_unlock(&m);", f"{JOINED} pthread_mutex_destroy(&m);", MUTEX),
        None,
    ),
    "memory of a lock that is held": (
        in_main("pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_init(m, 0); pthread_mutex_lock(m); free(m);"),
        Fault.FREED_IN_USE,
    ),
    "memory of a lock that was never initialised": (
        beside("p = malloc(sizeof *p);", f"{JOINED} free(p);", "pthread_mutex_t *p;"),
        None,
    ),
    "a rwlock that its reader gives back": (
        beside(
            "pthread_rwlock_rdlock(&r); pthread_rwlock_unlock(&r);",
            f"pthread_rwlock_rdlock(&r); pthread_rwlock_unlock(&r); {JOINED}",
            "pthread_rwlock_t r;",
        ),
        None,
    ),
    "a rwlock that another one reads": (
        beside("pthread_rwlock_rdlock(&r);", f"pthread_rwlock_unlock(&r); {JOINED}", "pthread_rwlock_t r;"),
        Fault.LOCK,
    ),
    "another rwlock than the one that is read": (
        beside(
            "pthread_rwlock_rdlock(&s);",
            f"pthread_rwlock_rdlock(&r); {JOINED} pthread_rwlock_unlock(&s);",
            "pthread_rwlock_t r, s;",
        ),
        Fault.LOCK,
    ),
    "a barrier that is destroyed by whoever comes through": (
        beside(
            "pthread_barrier_wait(&b);",
            f"if (pthread_barrier_wait(&b) == 0) {{}} pthread_barrier_destroy(&b); {JOINED}",
            "pthread_barrier_t b;",
            "pthread_barrier_init(&b, 0, 2);",
        ),
        None,
    ),
    "a key before it is created": ("pthread_key_t k;" + in_main("pthread_setspecific(k, 0);"), Fault.RAW),
    "a key that is deleted": (
        "pthread_key_t k;" + in_main("pthread_key_create(&k, 0); pthread_key_delete(k); pthread_getspecific(k);"),
        Fault.DESTROYED,
    ),
    "a key beside one": ("pthread_key_t k, l;" + in_main("pthread_key_create(&k, 0); tss_get(l);"), Fault.RAW),
    "a key": ("pthread_key_t k;" + in_main("pthread_key_create(&k, 0); pthread_setspecific(k, 0);"), None),
}


@for_each("name", tuple(n for n in SYNCHRONISING if n != "a lock that another thread still takes"))
def test_what_threads_synchronise_with_is_used_between_initialisation_and_destruction(
    name: str, tmp_path: Path
) -> None:
    text, fault = SYNCHRONISING[name]
    assert faults(tmp_path, ALLOCATING + text) == (set() if fault is None else {fault})


def test_a_lock_is_not_destroyed_while_others_take_it(tmp_path: Path) -> None:
    """Before it is taken, and while it is held."""
    text, _ = SYNCHRONISING["a lock that another thread still takes"]
    assert faults(tmp_path, ALLOCATING + text) == {Fault.DESTROYED, Fault.IN_USE}


LEAKS = {
    "kept by a static variable": ("int *p;" + in_main("p = malloc(sizeof *p);"), False),
    "kept by a variable of `main`": (in_main("int *p = malloc(sizeof *p); *p = 1;"), True),
    "freed": (in_main("int *p = malloc(sizeof *p); free(p);"), False),
    "freed on one way only": (in_main("int *p = malloc(sizeof *p); if (__VERIFIER_nondet_int()) free(p);"), True),
    "kept by what is kept": (
        "struct node *p;" + in_main("p = malloc(sizeof *p); p->next = malloc(sizeof *p); p->next->next = 0;"),
        False,
    ),
    "kept by what is freed": (
        "struct node *p;" + in_main("p = malloc(sizeof *p); p->next = malloc(sizeof *p); free(p);"),
        True,
    ),
    "kept by each other only": (
        in_main("struct node *p = malloc(sizeof *p), *q = malloc(sizeof *q); p->next = q; q->next = p;"),
        True,
    ),
    "given to a thread that forgets it": (
        "void *w(void *a) { return 0; }"
        + in_main("int *p = malloc(sizeof *p); pthread_t t; pthread_create(&t, 0, w, p); pthread_join(t, 0);"),
        True,
    ),
    "written over": ("int *p;" + in_main("p = malloc(sizeof *p); p = malloc(sizeof *p);"), True),
}


@for_each("name", tuple(LEAKS))
def test_memory_is_lost_where_nothing_static_leads_to_it_at_the_end(name: str, tmp_path: Path) -> None:
    text, lost = LEAKS[name]
    for only in ("valid-memtrack", "valid-memsafety"):
        asked = faults(tmp_path, ALLOCATING + NODE + text, Reading(only=only))
        assert asked == ({Fault.LEAK} if lost else set())
    assert faults(tmp_path, ALLOCATING + NODE + text) == set()


def test_each_part_of_memory_safety_is_asked_for_by_itself(tmp_path: Path) -> None:
    used, twice = (MEMORY[n][0] for n in ("used after it is freed", "freed twice"))
    found = {
        (only, text): faults(tmp_path, ALLOCATING + NODE + text, Reading(only=only))
        for only in ("valid-deref", "valid-free", "valid-memsafety", "unreach-call")
        for text in (used, twice)
    }
    assert {key for key, wrong in found.items() if wrong} == {
        ("valid-deref", used),
        ("valid-free", twice),
        ("valid-memsafety", used),
        ("valid-memsafety", twice),
    }


def test_ends_that_nobody_can_notice_cost_nothing(tmp_path: Path) -> None:
    """The program is the one that it is without them."""
    text = beside("*p = 1;", f"{JOINED} %s", "int *p;", MADE)
    (tmp_path / "a").mkdir()
    freed, kept = (
        program(tmp_path / folder, ALLOCATING + text % end) for folder, end in ((".", "free(p);"), ("a", ""))
    )
    assert [v.var for v in freed.variables] == [v.var for v in kept.variables]
