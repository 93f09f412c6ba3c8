"""Right programs, as the generator begins with them. Each is small enough to be enumerated."""

from __future__ import annotations

from typing import Final

#: What a program may have: threads are joined before `main` ends unless it says otherwise.
IDIOMS: Final[dict[str, str]] = {
    "counted references": """
        struct node { int value; atomic_int count; };
        pthread_t s, t;
        void put(struct node *o) {
            if (atomic_fetch_sub_explicit(&o->count, 1, memory_order_acq_rel) == 1) { free(o); }
        }
        void *user(void *arg) { struct node *o = arg; int r; r = o->value; assert(r == 3); put(o); return 0; }
        int main(void) {
            struct node *o = malloc(sizeof *o);
            atomic_init(&o->count, 2); o->value = 3;
            pthread_create(&s, 0, user, o); put(o); pthread_join(s, 0); return 0;
        }""",
    "counted references, three": """
        struct node { int value; atomic_int count; };
        pthread_t s, t;
        void put(struct node *o) { if (atomic_fetch_sub(&o->count, 1) == 1) { free(o); } }
        void *user(void *arg) { struct node *o = arg; o->value; put(o); return 0; }
        int main(void) {
            struct node *o = malloc(sizeof *o);
            atomic_init(&o->count, 3); o->value = 1;
            pthread_create(&s, 0, user, o); pthread_create(&t, 0, user, o);
            put(o); pthread_join(s, 0); pthread_join(t, 0); return 0;
        }""",
    "references with a fence": """
        struct node { int value; atomic_int count; };
        pthread_t s;
        void put(struct node *o) {
            if (atomic_fetch_sub_explicit(&o->count, 1, memory_order_release) == 1) {
                atomic_thread_fence(memory_order_acquire); free(o);
            }
        }
        void *user(void *arg) { struct node *o = arg; o->value = 2; put(o); return 0; }
        int main(void) {
            struct node *o = calloc(1, sizeof *o); int r;
            atomic_init(&o->count, 2);
            pthread_create(&s, 0, user, o); atomic_load(&o->count); put(o); pthread_join(s, 0); return 0;
        }""",
    "message passing": """
        int data; atomic_int flag; pthread_t s;
        void *writer(void *arg) { data = 1; atomic_store_explicit(&flag, 1, memory_order_release); return 0; }
        int main(void) {
            int r;
            pthread_create(&s, 0, writer, 0);
            r = atomic_load_explicit(&flag, memory_order_acquire);
            if (r == 1) { assert(data == 1); data = 2; }
            pthread_join(s, 0); assert(data > 0); return 0;
        }""",
    "message passing with fences": """
        int data; atomic_int flag; pthread_t s;
        void *writer(void *arg) {
            data = 1; atomic_thread_fence(memory_order_release);
            atomic_store_explicit(&flag, 1, memory_order_relaxed); return 0;
        }
        int main(void) {
            int r;
            pthread_create(&s, 0, writer, 0);
            r = atomic_load_explicit(&flag, memory_order_relaxed);
            if (r) { atomic_thread_fence(memory_order_acquire); assert(data == 1); }
            pthread_join(s, 0); return 0;
        }""",
    "release sequence": """
        int data; atomic_int flag; pthread_t s, t;
        void *writer(void *arg) {
            data = 1; atomic_store_explicit(&flag, 1, memory_order_release);
            atomic_store_explicit(&flag, 2, memory_order_relaxed); return 0;
        }
        void *adder(void *arg) { atomic_fetch_add_explicit(&flag, 2, memory_order_relaxed); return 0; }
        int main(void) {
            int r;
            pthread_create(&s, 0, writer, 0); pthread_create(&t, 0, adder, 0);
            r = atomic_load_explicit(&flag, memory_order_acquire);
            if (r == 4) { assert(data == 1); }
            pthread_join(s, 0); pthread_join(t, 0); return 0;
        }""",
    "hand-over of memory": """
        struct node { int value; };
        _Atomic(struct node *) box; pthread_t s;
        void *taker(void *arg) {
            struct node *p; int r;
            p = atomic_exchange_explicit(&box, 0, memory_order_acquire);
            if (p) { r = p->value; assert(r == 7); free(p); }
            return 0;
        }
        int main(void) {
            struct node *p = malloc(sizeof *p);
            pthread_create(&s, 0, taker, 0);
            p->value = 7; atomic_store_explicit(&box, p, memory_order_release);
            pthread_join(s, 0);
            p = atomic_exchange_explicit(&box, 0, memory_order_relaxed);
            if (p) { free(p); }
            return 0;
        }""",
    "lazy initialisation": """
        struct node { int value; };
        _Atomic(struct node *) once; pthread_t s;
        void *user(void *arg) {
            struct node *p; struct node *q; int done;
            p = atomic_load_explicit(&once, memory_order_acquire);
            if (p == 0) {
                q = malloc(sizeof *q); q->value = 5;
                done =
                  atomic_compare_exchange_strong_explicit(&once, &p, q, memory_order_acq_rel, memory_order_acquire);
                if (done) { p = q; } else { free(q); }
            }
            assert(p->value == 5); return 0;
        }
        int main(void) {
            struct node *p;
            pthread_create(&s, 0, user, 0); user(0); pthread_join(s, 0);
            p = atomic_load(&once); free(p); return 0;
        }""",
    "mutex around memory": """
        struct node { int value; };
        struct node *shared; pthread_mutex_t m; pthread_t s;
        void *user(void *arg) {
            struct node *p;
            pthread_mutex_lock(&m); p = shared; if (p) { p->value = 2; } pthread_mutex_unlock(&m); return 0;
        }
        int main(void) {
            struct node *p = malloc(sizeof *p);
            p->value = 1; pthread_mutex_init(&m, 0);
            pthread_mutex_lock(&m); shared = p; pthread_mutex_unlock(&m);
            pthread_create(&s, 0, user, 0);
            pthread_mutex_lock(&m); p = shared; shared = 0; pthread_mutex_unlock(&m);
            free(p);
            pthread_join(s, 0); pthread_mutex_destroy(&m); return 0;
        }""",
    "mutex in memory": """
        struct node { pthread_mutex_t lock; int count; };
        pthread_t s;
        void drop(struct node *p) {
            int n;
            pthread_mutex_lock(&p->lock); n = p->count - 1; p->count = n; pthread_mutex_unlock(&p->lock);
            if (n == 0) { pthread_mutex_destroy(&p->lock); free(p); }
        }
        void *user(void *arg) { struct node *p = arg; drop(p); return 0; }
        int main(void) {
            struct node *p = malloc(sizeof *p);
            pthread_mutex_init(&p->lock, 0); p->count = 2;
            pthread_create(&s, 0, user, p); drop(p); pthread_join(s, 0); return 0;
        }""",
    "local variable of main": """
        pthread_t s;
        void *user(void *arg) { int *p = arg; *p = *p + 1; return 0; }
        int main(void) {
            int x = 1; int r;
            pthread_create(&s, 0, user, &x); pthread_join(s, 0); r = x; assert(r == 2); return 0;
        }""",
    "local variable of a function": """
        pthread_t s; atomic_int done;
        void *user(void *arg) { int *p = arg; *p = 3; atomic_store(&done, 1); return 0; }
        void start(void) {
            int x = 1;
            pthread_create(&s, 0, user, &x);
            while (atomic_load(&done) == 0) { }
            assert(x == 3);
        }
        int main(void) { start(); pthread_join(s, 0); return 0; }""",
    "trylock": """
        int data; pthread_mutex_t m; pthread_t s;
        void *user(void *arg) {
            int got;
            got = pthread_mutex_trylock(&m) == 0;
            if (got) { data = data + 1; pthread_mutex_unlock(&m); }
            return 0;
        }
        int main(void) {
            pthread_create(&s, 0, user, 0);
            pthread_mutex_lock(&m); data = data + 1; assert(data > 0); pthread_mutex_unlock(&m);
            pthread_join(s, 0); assert(data < 3); return 0;
        }""",
    "readers and a writer": """
        int data; pthread_rwlock_t m; pthread_t s, t;
        void *reader(void *arg) {
            int r;
            pthread_rwlock_rdlock(&m); r = data; assert(r != 1); pthread_rwlock_unlock(&m); return 0;
        }
        int main(void) {
            pthread_rwlock_init(&m, 0);
            pthread_create(&s, 0, reader, 0); pthread_create(&t, 0, reader, 0);
            pthread_rwlock_wrlock(&m); data = 1; data = 2; pthread_rwlock_unlock(&m);
            pthread_join(s, 0); pthread_join(t, 0); pthread_rwlock_destroy(&m); return 0;
        }""",
    "spin lock": """
        int data; pthread_spinlock_t m; pthread_t s;
        void *user(void *arg) { pthread_spin_lock(&m); data = data + 1; pthread_spin_unlock(&m); return 0; }
        int main(void) {
            pthread_spin_init(&m, 0);
            pthread_create(&s, 0, user, 0); user(0); pthread_join(s, 0);
            pthread_spin_destroy(&m); assert(data == 2); return 0;
        }""",
    "barrier": """
        int a, b; pthread_barrier_t w; pthread_t s;
        void *user(void *arg) { int r; a = 1; pthread_barrier_wait(&w); r = b; assert(r == 1); return 0; }
        int main(void) {
            int r;
            pthread_barrier_init(&w, 0, 2);
            pthread_create(&s, 0, user, 0);
            b = 1; pthread_barrier_wait(&w); r = a; assert(r == 1);
            pthread_join(s, 0); pthread_barrier_destroy(&w); return 0;
        }""",
    "semaphore": """
        int data; sem_t full; sem_t empty; pthread_t s;
        void *producer(void *arg) {
            sem_wait(&empty); data = 1; sem_post(&full); sem_wait(&empty); data = 2; sem_post(&full); return 0;
        }
        int main(void) {
            sem_init(&full, 0, 0); sem_init(&empty, 0, 1);
            pthread_create(&s, 0, producer, 0);
            sem_wait(&full); assert(data == 1); sem_post(&empty); sem_wait(&full); assert(data == 2);
            pthread_join(s, 0); sem_destroy(&full); sem_destroy(&empty); return 0;
        }""",
    "mailbox": """
        struct node { int value; };
        struct node *box; pthread_mutex_t m; pthread_cond_t c; pthread_t s;
        void *receiver(void *arg) {
            struct node *p;
            pthread_mutex_lock(&m);
            while (box == 0) { pthread_cond_wait(&c, &m); }
            p = box; box = 0;
            pthread_mutex_unlock(&m);
            assert(p->value == 4); free(p); return 0;
        }
        int main(void) {
            struct node *p = malloc(sizeof *p);
            p->value = 4;
            pthread_create(&s, 0, receiver, 0);
            pthread_mutex_lock(&m); box = p; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
            pthread_join(s, 0); pthread_cond_destroy(&c); pthread_mutex_destroy(&m); return 0;
        }""",
    "two that wait": """
        int ready; pthread_mutex_t m; pthread_cond_t c; pthread_t s, t;
        void *user(void *arg) {
            pthread_mutex_lock(&m);
            while (ready == 0) { pthread_cond_wait(&c, &m); }
            ready = ready - 1;
            pthread_mutex_unlock(&m); return 0;
        }
        int main(void) {
            pthread_create(&s, 0, user, 0); pthread_create(&t, 0, user, 0);
            pthread_mutex_lock(&m); ready = 2; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);
            pthread_join(s, 0); pthread_join(t, 0); assert(ready == 0); return 0;
        }""",
    "once": """
        struct node { int value; };
        struct node *shared; pthread_once_t o; pthread_t s;
        void make(void) { struct node *p = malloc(sizeof *p); p->value = 1; shared = p; }
        void *user(void *arg) { struct node *p; pthread_once(&o, make); p = shared; assert(p->value == 1); return 0; }
        int main(void) {
            pthread_create(&s, 0, user, 0); user(0); pthread_join(s, 0); free(shared); return 0;
        }""",
    "thread-local variable": """
        _Thread_local int own; int *seen; pthread_mutex_t m; pthread_t s;
        void *user(void *arg) {
            own = 2;
            pthread_mutex_lock(&m); seen = &own; pthread_mutex_unlock(&m);
            pthread_mutex_lock(&m); seen = 0; pthread_mutex_unlock(&m);
            assert(own > 1); return 0;
        }
        int main(void) {
            int *p; own = 1;
            pthread_create(&s, 0, user, 0);
            pthread_mutex_lock(&m); p = seen; if (p) { *p = 3; } pthread_mutex_unlock(&m);
            pthread_join(s, 0); assert(own == 1); return 0;
        }""",
    "stack": """
        struct node { struct node *next; int value; };
        _Atomic(struct node *) top; pthread_t s;
        void push(struct node *n) {
            struct node *h; int done;
            done = 0; h = atomic_load(&top);
            while (done == 0) { n->next = h; done = atomic_compare_exchange_strong(&top, &h, n); }
        }
        struct node *pop_all(void) { struct node *h; h = atomic_exchange(&top, 0); return h; }
        void *user(void *arg) {
            struct node *n = malloc(sizeof *n);
            n->value = 1; push(n); return 0;
        }
        int main(void) {
            struct node *n; struct node *h;
            pthread_create(&s, 0, user, 0);
            h = pop_all();
            while (h) { n = h->next; assert(h->value == 1); free(h); h = n; }
            pthread_join(s, 0);
            h = pop_all();
            while (h) { n = h->next; free(h); h = n; }
            return 0;
        }""",
    "two locks": """
        int a; int b; pthread_mutex_t m; pthread_mutex_t n; pthread_t s;
        void *user(void *arg) {
            pthread_mutex_lock(&m); pthread_mutex_lock(&n);
            a = b + 1; pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);
            return 0;
        }
        int main(void) {
            pthread_mutex_init(&m, 0); pthread_mutex_init(&n, 0);
            pthread_create(&s, 0, user, 0);
            pthread_mutex_lock(&m); pthread_mutex_lock(&n); b = a; pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);
            pthread_join(s, 0); assert(a < 3);
            pthread_mutex_destroy(&n); pthread_mutex_destroy(&m); return 0;
        }""",
    "grown memory": """
        struct node { int value; int more; };
        struct node *shared; pthread_mutex_t m; pthread_t s;
        void *user(void *arg) {
            struct node *p;
            pthread_mutex_lock(&m);
            p = shared; p = realloc(p, sizeof(struct node)); shared = p; p->more = 1;
            pthread_mutex_unlock(&m); return 0;
        }
        int main(void) {
            struct node *p = calloc(1, sizeof *p);
            int r;
            shared = p;
            pthread_create(&s, 0, user, 0);
            pthread_mutex_lock(&m); p = shared; p->value = 1; pthread_mutex_unlock(&m);
            pthread_join(s, 0); p = shared; r = p->value; assert(r < 2); free(p); return 0;
        }""",
    "one lock by compare-exchange": """
        int data; atomic_int held; pthread_t s;
        void *user(void *arg) {
            int free_; int got;
            free_ = 0;
            got = atomic_compare_exchange_strong_explicit(&held, &free_, 1, memory_order_acquire, memory_order_relaxed);
            if (got) { data = data + 1; atomic_store_explicit(&held, 0, memory_order_release); }
            return 0;
        }
        int main(void) {
            pthread_create(&s, 0, user, 0); user(0); pthread_join(s, 0); assert(data > 0); return 0;
        }""",
    "detached": """
        struct node { int value; };
        pthread_t s; sem_t over;
        void *user(void *arg) { struct node *p = arg; p->value = 1; free(p); sem_post(&over); return 0; }
        int main(void) {
            struct node *p = malloc(sizeof *p);
            sem_init(&over, 0, 0);
            pthread_create(&s, 0, user, p); sem_wait(&over); return 0;
        }""",
}
