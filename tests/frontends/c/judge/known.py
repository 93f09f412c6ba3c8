"""Programs whose faults are known, to test the interpreter with: a wrong one beside a right one, if there is one."""

from __future__ import annotations

from typing import Final

from tests.frontends.c.judge.machine import Fault

_ = frozenset[Fault]()


def _of(*faults: Fault) -> frozenset[Fault]:
    return frozenset(faults)


def flag(store: str, load: str, between: str = "", other: str = "") -> str:
    """Data behind a flag: how it is set, how it is read, what the writer does behind it, what a third thread does."""
    return f"""
        int data; atomic_int flag; pthread_t s, t;
        void *writer(void *a) {{ data = 42; {store} {between} return 0; }}
        void *third(void *a) {{ {other} return 0; }}
        int main(void) {{
            int r;
            pthread_create(&s, 0, writer, 0); pthread_create(&t, 0, third, 0);
            {load} if (r == 2) {{ assert(data == 42); }}
            pthread_join(s, 0); pthread_join(t, 0); return 0;
        }}"""


def store(order: str, value: int = 2) -> str:
    """An atomic store to the flag."""
    return f"atomic_store_explicit(&flag, {value}, memory_order_{order});"


def load(order: str) -> str:
    """An atomic load of the flag."""
    return f"r = atomic_load_explicit(&flag, memory_order_{order});"


def fence(order: str) -> str:
    """A fence."""
    return f"atomic_thread_fence(memory_order_{order});"


ADDED = "atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);"
#: What happens-before orders, and what it does not: text, whether there is a race.
ORDERED: Final = {
    "released and acquired": (flag(store("release"), load("acquire")), False),
    "relaxed store": (flag(store("relaxed"), load("acquire")), True),
    "relaxed load": (flag(store("release"), load("relaxed")), True),
    "sequentially consistent": (flag(store("seq_cst"), load("seq_cst")), False),
    "both fences": (flag(fence("release") + store("relaxed"), load("relaxed") + fence("acquire")), False),
    "release fence": (flag(fence("release") + store("relaxed"), load("acquire")), False),
    "acquire fence": (flag(store("release"), load("relaxed") + fence("acquire")), False),
    "fence behind the store": (flag(store("relaxed") + fence("release"), load("acquire")), True),
    "fence before the load": (flag(store("release"), fence("acquire") + load("relaxed")), True),
    "fences of the wrong kinds": (flag(fence("acquire") + store("relaxed"), load("acquire")), True),
    "continued by the same thread": (flag(store("release", 1), load("acquire"), store("relaxed")), False),
    "ended by another thread": (flag(store("release", 1), load("acquire"), "", store("relaxed")), True),
    "continued by an addition": (flag(store("release", 1), load("acquire"), "", ADDED), False),
    "continued by an own addition": (flag(store("release", 1), load("acquire"), ADDED), False),
    "joined": (
        "int d; pthread_t s; void *f(void *a) { d = 1; return 0; }"
        "int main(void) { d = 2; pthread_create(&s, 0, f, 0); pthread_join(s, 0); d = 3; return 0; }",
        False,
    ),
    "not joined": (
        "int d; pthread_t s; void *f(void *a) { d = 1; return 0; }"
        "int main(void) { pthread_create(&s, 0, f, 0); d = 3; pthread_join(s, 0); return 0; }",
        True,
    ),
    "behind a trylock that failed": (
        "int d; pthread_mutex_t m; pthread_t s;"
        "void *f(void *a) { d = 1; pthread_mutex_lock(&m); return 0; }"
        "int main(void) { int got; pthread_create(&s, 0, f, 0); got = pthread_mutex_trylock(&m) == 0;"
        "if (got == 0) { d = 2; } return 0; }",
        True,
    ),
    "behind a trylock": (
        "int d; pthread_mutex_t m; pthread_t s;"
        "void *f(void *a) { pthread_mutex_lock(&m); d = 1; pthread_mutex_unlock(&m); return 0; }"
        "int main(void) { int got; pthread_create(&s, 0, f, 0); got = pthread_mutex_trylock(&m) == 0;"
        "if (got) { d = 2; } return 0; }",
        False,
    ),
    "a failing compare-exchange that acquires": (
        flag(
            store("release"),
            "r = 0; atomic_compare_exchange_strong_explicit(&flag, &r, 9, memory_order_relaxed, memory_order_acquire);",
        ),
        False,
    ),
    "a failing compare-exchange that is relaxed": (
        flag(
            store("release"),
            "r = 0; atomic_compare_exchange_strong_explicit(&flag, &r, 9, memory_order_acquire, memory_order_relaxed);",
        ),
        True,
    ),
    "the handle of a thread that it reads itself": (
        "pthread_t s; void *f(void *a) { pthread_t mine = s; return 0; }"
        "int main(void) { pthread_create(&s, 0, f, 0); pthread_join(s, 0); return 0; }",
        True,
    ),
    "an initialisation beside a store": (
        "atomic_int x; pthread_t s; void *f(void *a) { atomic_init(&x, 1); return 0; }"
        "int main(void) { pthread_create(&s, 0, f, 0); x = 2; pthread_join(s, 0); return 0; }",
        True,
    ),
    "two readers of a lock": (
        "int d; pthread_rwlock_t m; pthread_t s; void *f(void *a) {"
        "pthread_rwlock_rdlock(&m); d = 1; pthread_rwlock_unlock(&m); return 0; }"
        "int main(void) { pthread_create(&s, 0, f, 0); f(0); pthread_join(s, 0); return 0; }",
        True,
    ),
    "memory that is freed while it is read": (
        "struct node { atomic_int count; }; pthread_t s;"
        "void *f(void *a) { struct node *o = a; if (atomic_fetch_sub_explicit(&o->count, 1, memory_order_relaxed) == 1)"
        "{ free(o); } return 0; }"
        "int main(void) { struct node *o = malloc(sizeof *o); atomic_init(&o->count, 2);"
        "pthread_create(&s, 0, f, o); f(o); pthread_join(s, 0); return 0; }",
        True,
    ),
}
#: Lifetimes, locks and assertions: text, the faults.
FAULTS: Final = {
    "barrier without init": (
        "pthread_barrier_t b; int main(void) { pthread_barrier_wait(&b); assert(0); return 0; }",
        _of(Fault.BEFORE_INIT),
    ),
    "mutex without init": ("pthread_mutex_t m; int main(void) { pthread_mutex_lock(&m); return 0; }", _),
    "local mutex without init": (
        "int main(void) { pthread_mutex_t m; pthread_mutex_lock(&m); return 0; }",
        _of(Fault.BEFORE_INIT),
    ),
    "dangling local": (
        "int *leak(void) { int x = 3; int *p = &x; return p; } int main(void) { int *p = leak(); return *p; }",
        _of(Fault.DEAD_VARIABLE),
    ),
    "local of a block": (
        "int main(void) { int r; int *p; { int x = 3; p = &x; r = *p; } r = 1; return r; }",
        _,
    ),
    "local behind a block": (
        "int main(void) { int r; int *p; { int x = 3; p = &x; } r = *p; return r; }",
        _of(Fault.DEAD_VARIABLE),
    ),
    "destroyed mutex": (
        "pthread_mutex_t l; int main(void) { pthread_mutex_init(&l, 0); pthread_mutex_destroy(&l);"
        "pthread_mutex_lock(&l); return 0; }",
        _of(Fault.AFTER_DESTROY),
    ),
    "initialised again": (
        "pthread_mutex_t l; int main(void) { pthread_mutex_destroy(&l); pthread_mutex_init(&l, 0);"
        "pthread_mutex_lock(&l); return 0; }",
        _,
    ),
    "destroyed while held": (
        "pthread_mutex_t l; int main(void) { pthread_mutex_lock(&l); pthread_mutex_destroy(&l); return 0; }",
        _of(Fault.DESTROYED_IN_USE),
    ),
    "destroyed while waited for": (
        "pthread_mutex_t m; pthread_cond_t c; pthread_t s; int ready;"
        "void *f(void *a) { pthread_mutex_lock(&m); ready = 1; pthread_cond_wait(&c, &m);"
        " pthread_mutex_unlock(&m); return 0; }"
        "int main(void) { pthread_create(&s, 0, f, 0); pthread_mutex_lock(&m); if (ready) { pthread_cond_destroy(&c); }"
        "pthread_mutex_unlock(&m); return 0; }",
        _of(Fault.DESTROYED_IN_USE),
    ),
    "freed while held": (
        "struct node { pthread_mutex_t m; }; int main(void) { struct node *p = malloc(sizeof *p);"
        "pthread_mutex_init(&p->m, 0); pthread_mutex_lock(&p->m); free(p); return 0; }",
        _of(Fault.FREED_IN_USE),
    ),
    "double free": (
        "int main(void) { int *p = malloc(sizeof *p); int *q = p; free(p); free(q); return 0; }",
        _of(Fault.DOUBLE_FREE),
    ),
    "free of nothing": ("int main(void) { int *p = 0; free(p); return 0; }", _),
    "free of a part": (
        "struct node { int a; int b; }; int main(void) { struct node *p = malloc(sizeof *p); free(&p->b); return 0; }",
        _of(Fault.BAD_FREE),
    ),
    "free of the first member": (
        "struct node { int a; int b; }; int main(void) { struct node *p = malloc(sizeof *p); free(&p->a); return 0; }",
        _,
    ),
    "free of a static variable": ("int x; int main(void) { free(&x); return 0; }", _of(Fault.BAD_FREE)),
    "use after free": (
        "int main(void) { int *p = malloc(sizeof *p); *p = 1; free(p); *p = 2; return 0; }",
        _of(Fault.USE_AFTER_FREE),
    ),
    "old pointer of realloc": (
        "struct node { int a; }; int main(void) { struct node *p = malloc(sizeof *p); p->a = 1;"
        "struct node *q = realloc(p, sizeof(struct node)); assert(q->a == 1); p->a = 2; return 0; }",
        _of(Fault.USE_AFTER_FREE),
    ),
    "freed by whoever sees zero": (
        "struct node { atomic_int refs; }; pthread_t s; void put(struct node *o) {"
        "atomic_fetch_sub(&o->refs, 1); if (atomic_load(&o->refs) == 0) { free(o); } }"
        "void *f(void *a) { put(a); return 0; } int main(void) { struct node *o = malloc(sizeof *o);"
        "atomic_init(&o->refs, 2); pthread_create(&s, 0, f, o); put(o); pthread_join(s, 0); return 0; }",
        _of(Fault.DOUBLE_FREE, Fault.USE_AFTER_FREE),
    ),
    "freed once by the last": (
        "struct node { atomic_int refs; }; pthread_t s; void put(struct node *o) {"
        "if (atomic_fetch_sub(&o->refs, 1) == 1) { free(o); } }"
        "void *f(void *a) { put(a); return 0; } int main(void) { struct node *o = malloc(sizeof *o);"
        "atomic_init(&o->refs, 2); pthread_create(&s, 0, f, o); put(o); pthread_join(s, 0); return 0; }",
        _,
    ),
    "local of an ended function": (
        "pthread_t s; void *f(void *a) { int *p = a; *p = 1; return 0; }"
        "void start(void) { int x = 0; pthread_create(&s, 0, f, &x); }"
        "int main(void) { start(); pthread_join(s, 0); return 0; }",
        _of(Fault.DEAD_VARIABLE),
    ),
    "local of a function that joins": (
        "pthread_t s; void *f(void *a) { int *p = a; *p = 1; return 0; }"
        "void start(void) { int x = 0; pthread_create(&s, 0, f, &x); pthread_join(s, 0); }"
        "int main(void) { start(); return 0; }",
        _,
    ),
    "main ends first": (
        "pthread_t s; atomic_int x; void *f(void *a) { x = 1; assert(x == 1); return 0; }"
        "int main(void) { pthread_create(&s, 0, f, 0); return 0; }",
        _,
    ),
    "thread-local variable of an ended thread": (
        "_Thread_local int own; int *seen; pthread_t s; void *f(void *a) { own = 1; seen = &own; return 0; }"
        "int main(void) { pthread_create(&s, 0, f, 0); pthread_join(s, 0); *seen = 2; return 0; }",
        _of(Fault.DEAD_VARIABLE),
    ),
    "unlock by another thread": (
        "pthread_mutex_t m; pthread_t s; void *f(void *a) { pthread_mutex_unlock(&m); return 0; }"
        "int main(void) { pthread_mutex_lock(&m); pthread_create(&s, 0, f, 0); pthread_join(s, 0); return 0; }",
        _of(Fault.LOCK),
    ),
    "waits with if": (
        "pthread_mutex_t m; pthread_cond_t c; int ready; pthread_t s; void *f(void *a) { pthread_mutex_lock(&m);"
        "if (!ready) pthread_cond_wait(&c, &m); assert(ready); pthread_mutex_unlock(&m); return 0; }"
        "int main(void) { pthread_create(&s, 0, f, 0); pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c);"
        "pthread_mutex_unlock(&m); pthread_join(s, 0); return 0; }",
        _of(Fault.ASSERTION),
    ),
    "address that comes back": (
        "struct node { int a; }; _Atomic(struct node *) top; int main(void) { struct node *p = malloc(sizeof *p);"
        "struct node *q; free(p); q = malloc(sizeof *q); assert(p != q); return 0; }",
        _of(Fault.ASSERTION),
    ),
}
WAITS = (
    "pthread_mutex_t m; pthread_cond_t c; int ready; pthread_t s, t; void *f(void *a) { pthread_mutex_lock(&m);"
    "while (!ready) { pthread_cond_wait(&c, &m); } pthread_mutex_unlock(&m); return 0; }"
    "int main(void) { pthread_create(&s, 0, f, 0); pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); ready = 1;"
    "WAKES(&c); pthread_mutex_unlock(&m); pthread_join(s, 0); pthread_join(t, 0); return 0; }"
)
LOCKS = (
    "pthread_mutex_t m; pthread_mutex_t n; pthread_t s; void *f(void *a) { pthread_mutex_lock(&ONE);"
    "pthread_mutex_lock(&OTHER); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return 0; }"
    "int main(void) { pthread_create(&s, 0, f, 0); pthread_mutex_lock(&m); pthread_mutex_lock(&n);"
    "pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); pthread_join(s, 0); return 0; }"
)
#: Text, and whether there is a deadlock.
STUCK: Final = {
    "one of two is woken": (WAITS.replace("WAKES", "pthread_cond_signal"), True),
    "both are woken": (WAITS.replace("WAKES", "pthread_cond_broadcast"), False),
    "in the same order": (LOCKS.replace("ONE", "m").replace("OTHER", "n"), False),
    "in opposite orders": (LOCKS.replace("ONE", "n").replace("OTHER", "m"), True),
    "a semaphore that nobody posts": ("sem_t s; int main(void) { sem_wait(&s); return 0; }", True),
    "a barrier for two": (
        "pthread_barrier_t b; int main(void) { pthread_barrier_init(&b, 0, 2); pthread_barrier_wait(&b); return 0; }",
        True,
    ),
    "a thread that waits for itself": (
        "pthread_mutex_t m; int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }",
        True,
    ),
}
#: Text, and whether memory is lost.
LOST: Final = {
    "nothing points to it": ("int main(void) { int *p = malloc(sizeof *p); return 0; }", True),
    "a static variable points to it": ("int *g; int main(void) { g = malloc(sizeof *g); return 0; }", False),
    "one step away": (
        "struct node { struct node *next; }; struct node *g; int main(void) { struct node *p = calloc(1, sizeof *p);"
        "g = calloc(1, sizeof(struct node)); g->next = p; return 0; }",
        False,
    ),
    "what pointed to it is freed": (
        "struct node { struct node *next; }; struct node *g; int main(void) { struct node *p = calloc(1, sizeof *p);"
        "g = calloc(1, sizeof(struct node)); g->next = p; free(g); return 0; }",
        True,
    ),
    "lost by a thread": (
        "pthread_t s; void *f(void *a) { int *p = malloc(sizeof *p); return 0; }"
        "int main(void) { pthread_create(&s, 0, f, 0); pthread_join(s, 0); return 0; }",
        True,
    ),
}
