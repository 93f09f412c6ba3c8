/* What the functions of the library do, in C with a few words of the front end:
   `__sacheck_begin` and `__sacheck_end` enclose one step, which `__sacheck_wait` lets begin only where its argument
   holds; `__sacheck_fail` is the step that goes wrong; `__sacheck_self` is the number of the thread.
   A lock gets an owner with `__sacheck_own`. Behind `__sacheck_take` the thread is its owner, and behind
   `__sacheck_give` perhaps not; `__sacheck_try` says that somebody sees whether the lock is free.
   Behind `__sacheck_block` the thread is blocked on a condition. `__sacheck_unblock` begins the step that ends this: by a
   signal, or by itself; with `__sacheck_unblock_in_time` perhaps too late. `__sacheck_signal` and `__sacheck_broadcast`
   wake one thread or all, and `__sacheck_waited_for` says whether some thread is blocked.
   Who takes a lock acquires what those released who gave it back (C11 5.1.2.4). What else is acquired and released is
   said by `__sacheck_acquire` and `__sacheck_release`, with the address of a member of what is shared: of an rwlock,
   writers release one and readers another, which only writers acquire.
   What threads synchronise with has a status: 0 in static memory, DESTROYED behind its end, RAW in memory without a
   value, READY behind its initialisation where 0 is not enough. As glibc has it, mutexes, rwlocks, conditions and
   semaphores that are all zero are initialised. */
enum { __DESTROYED = 1, __RAW = 2, __READY = 3 };
typedef unsigned long pthread_t;
typedef struct { int __owner; int __depth; int __kind; int __status; } pthread_mutex_t;
typedef struct { int __kind; } pthread_mutexattr_t;
typedef struct { int __status; } pthread_cond_t;
typedef struct { int __unused; } pthread_condattr_t;
typedef struct { int __unused; } pthread_attr_t;
typedef struct { int __writer; int __readers; int __status; } pthread_rwlock_t;
typedef struct { int __unused; } pthread_rwlockattr_t;
typedef struct { unsigned int __needed; unsigned int __arrived; unsigned int __leaving; int __status; } pthread_barrier_t;
typedef struct { int __unused; } pthread_barrierattr_t;
typedef struct { int __owner; int __status; } pthread_spinlock_t;
typedef struct { int __state; } pthread_once_t;
typedef struct { unsigned int __value; int __status; } sem_t;
typedef unsigned long thrd_t;
typedef struct { int __owner; int __depth; int __kind; int __status; } mtx_t;
typedef struct { int __status; } cnd_t;
typedef struct { int __state; } once_flag;
typedef struct { _Atomic _Bool __set; } atomic_flag;
typedef int memory_order;
struct timespec { long tv_sec; long tv_nsec; };
struct timeval { long tv_sec; long tv_usec; };
typedef unsigned int pthread_key_t;
typedef unsigned int tss_t;

_Thread_local int __errno;
int *__errno_location(void) { return &__errno; }
int __sacheck_error(void);
/* What comes from outside may fail, and say why; or it leaves a number there for no reason (C11 7.5). */
void __sacheck_errs(void) { if (__sacheck_error() > 0) __errno = __sacheck_error(); }

void __sacheck_begin(void);
void __sacheck_end(void);
void __sacheck_wait(int);
void __sacheck_fail(const char *);
int __sacheck_self(void);
int __sacheck_any(void);
void __sacheck_own(int *, int);
void __sacheck_take(int *);
void __sacheck_give(int *);
void __sacheck_try(int *);
void __sacheck_block(void *);
void __sacheck_unblock(void);
int __sacheck_unblock_in_time(void);
void __sacheck_signal(void *);
void __sacheck_broadcast(void *);
int __sacheck_waited_for(void *);
void __sacheck_acquire(void *);
void __sacheck_release(void *);
void __sacheck_apart(char *, unsigned long, const char *, unsigned long);

void __sacheck_used(int status) {
    if (status == __DESTROYED) __sacheck_fail("use after destruction");
    if (status == __RAW) __sacheck_fail("use before initialisation");
}
void __sacheck_initialised(int status) {
    if (status == __DESTROYED) __sacheck_fail("use after destruction");
    if (status != __READY) __sacheck_fail("use before initialisation");
}

int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a) {
    __sacheck_begin();
    m->__owner = 0;
    m->__depth = 0;
    m->__kind = a ? a->__kind : 0;
    m->__status = 0;
    __sacheck_end();
    return 0;
}
int pthread_mutex_destroy(pthread_mutex_t *m) {
    __sacheck_begin();
    __sacheck_used(m->__status);
    __sacheck_try(&m->__owner);
    if (m->__owner != 0) __sacheck_fail("destruction while in use");
    m->__status = __DESTROYED;
    __sacheck_end();
    return 0;
}
int pthread_mutexattr_init(pthread_mutexattr_t *a) { a->__kind = 0; return 0; }
int pthread_mutexattr_destroy(pthread_mutexattr_t *a) { return 0; }
int pthread_mutexattr_settype(pthread_mutexattr_t *a, int kind) { a->__kind = kind; return 0; }
int pthread_mutex_lock(pthread_mutex_t *m) {
    int self = __sacheck_self(), result = 0;
    __sacheck_begin();
    __sacheck_used(m->__status);
    if (m->__kind != 0 && m->__owner == self) {
        if (m->__kind == 1)
            m->__depth = m->__depth + 1;
        else
            result = 35;
    } else {
        __sacheck_wait(m->__owner == 0);
        __sacheck_own(&m->__owner, self);
    }
    __sacheck_take(&m->__owner);
    __sacheck_end();
    return result;
}
int pthread_mutex_trylock(pthread_mutex_t *m) {
    int self = __sacheck_self(), result = 16;
    __sacheck_begin();
    __sacheck_used(m->__status);
    __sacheck_try(&m->__owner);
    if (m->__kind == 1 && m->__owner == self) {
        m->__depth = m->__depth + 1;
        __sacheck_take(&m->__owner);
        result = 0;
    } else if (m->__owner == 0) {
        __sacheck_own(&m->__owner, self);
        __sacheck_take(&m->__owner);
        result = 0;
    }
    __sacheck_end();
    return result;
}
/* Who waits for a lock until some time tries to take it at some moment before: it fails only where it is held. */
int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t) {
    int self = __sacheck_self(), result;
    __sacheck_begin();
    if (m->__kind != 0 && m->__owner == self)
        result = pthread_mutex_lock(m);
    else
        result = pthread_mutex_trylock(m) ? 110 : 0;
    __sacheck_end();
    return result;
}
int pthread_mutex_unlock(pthread_mutex_t *m) {
    int self = __sacheck_self(), result = 0;
    __sacheck_begin();
    __sacheck_used(m->__status);
    if (m->__owner != self) {
        if (m->__kind != 0)
            result = 1;
        else
            __sacheck_fail("lock");
    } else {
        if (m->__kind == 1 && m->__depth != 0)
            m->__depth = m->__depth - 1;
        else
            __sacheck_own(&m->__owner, 0);
        __sacheck_give(&m->__owner);
    }
    __sacheck_end();
    return result;
}

int pthread_spin_init(pthread_spinlock_t *m, int shared) {
    __sacheck_begin();
    m->__owner = 0;
    m->__status = __READY;
    __sacheck_end();
    return 0;
}
int pthread_spin_destroy(pthread_spinlock_t *m) {
    __sacheck_begin();
    __sacheck_initialised(m->__status);
    __sacheck_try(&m->__owner);
    if (m->__owner != 0) __sacheck_fail("destruction while in use");
    m->__status = __DESTROYED;
    __sacheck_end();
    return 0;
}
int pthread_spin_lock(pthread_spinlock_t *m) {
    int self = __sacheck_self();
    __sacheck_begin();
    __sacheck_initialised(m->__status);
    __sacheck_wait(m->__owner == 0);
    __sacheck_own(&m->__owner, self);
    __sacheck_take(&m->__owner);
    __sacheck_end();
    return 0;
}
int pthread_spin_trylock(pthread_spinlock_t *m) {
    int self = __sacheck_self(), result = 16;
    __sacheck_begin();
    __sacheck_initialised(m->__status);
    __sacheck_try(&m->__owner);
    if (m->__owner == 0) {
        __sacheck_own(&m->__owner, self);
        __sacheck_take(&m->__owner);
        result = 0;
    }
    __sacheck_end();
    return result;
}
int pthread_spin_unlock(pthread_spinlock_t *m) {
    int self = __sacheck_self();
    __sacheck_begin();
    __sacheck_initialised(m->__status);
    if (m->__owner != self) __sacheck_fail("lock");
    __sacheck_own(&m->__owner, 0);
    __sacheck_give(&m->__owner);
    __sacheck_end();
    return 0;
}

/* A wait may end without a signal. Behind its timeout a wait takes no signal. */
int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a) {
    c->__status = 0;
    return 0;
}
int pthread_cond_destroy(pthread_cond_t *c) {
    __sacheck_begin();
    __sacheck_used(c->__status);
    if (__sacheck_waited_for(c)) __sacheck_fail("destruction while in use");
    c->__status = __DESTROYED;
    __sacheck_end();
    return 0;
}
void __sacheck_wait_begins(pthread_cond_t *c, pthread_mutex_t *m, int self) {
    __sacheck_begin();
    __sacheck_used(c->__status);
    __sacheck_used(m->__status);
    if (m->__owner != self) __sacheck_fail("lock");
    __sacheck_block(c);
    __sacheck_own(&m->__owner, 0);
    __sacheck_give(&m->__owner);
    __sacheck_end();
}
void __sacheck_wait_ends(pthread_mutex_t *m, int self) {
    __sacheck_wait(m->__owner == 0);
    __sacheck_own(&m->__owner, self);
    __sacheck_take(&m->__owner);
    __sacheck_end();
}
int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
    int self = __sacheck_self();
    __sacheck_wait_begins(c, m, self);
    __sacheck_unblock();
    __sacheck_wait_ends(m, self);
    return 0;
}
int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) {
    int self = __sacheck_self(), late;
    __sacheck_wait_begins(c, m, self);
    late = __sacheck_unblock_in_time();
    __sacheck_wait_ends(m, self);
    return late ? 110 : 0;
}
int pthread_cond_signal(pthread_cond_t *c) {
    __sacheck_begin();
    __sacheck_used(c->__status);
    __sacheck_signal(c);
    __sacheck_end();
    return 0;
}
int pthread_cond_broadcast(pthread_cond_t *c) {
    __sacheck_begin();
    __sacheck_used(c->__status);
    __sacheck_broadcast(c);
    __sacheck_end();
    return 0;
}

int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *a) {
    __sacheck_begin();
    l->__writer = 0;
    l->__readers = 0;
    l->__status = 0;
    __sacheck_end();
    return 0;
}
int pthread_rwlock_destroy(pthread_rwlock_t *l) {
    __sacheck_begin();
    __sacheck_used(l->__status);
    if (l->__writer != 0 || l->__readers != 0) __sacheck_fail("destruction while in use");
    l->__status = __DESTROYED;
    __sacheck_end();
    return 0;
}
/* The locks that a thread reads under: who unlocks has to be a reader or the writer itself. */
_Thread_local void *__reading[2];
void __sacheck_reads(void *l) {
    if (!__reading[0])
        __reading[0] = l;
    else if (!__reading[1])
        __reading[1] = l;
    else
        __sacheck_fail("more read locks at once than the translation has");
}
int __sacheck_has_read(void *l) {
    if (__reading[1] == l)
        __reading[1] = 0;
    else if (__reading[0] == l)
        __reading[0] = 0;
    else
        return 0;
    return 1;
}
/* Who asks for a lock that it holds itself waits for ever, or is told so. */
int pthread_rwlock_rdlock(pthread_rwlock_t *l) {
    int self = __sacheck_self(), result = 0;
    __sacheck_begin();
    __sacheck_used(l->__status);
    if (l->__writer == self) {
        __sacheck_wait(__sacheck_any());
        result = 35;
    } else {
        __sacheck_wait(l->__writer == 0);
        l->__readers = l->__readers + 1;
        __sacheck_reads(l);
        __sacheck_acquire(&l->__writer);
    }
    __sacheck_end();
    return result;
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t *l) {
    int result = 16;
    __sacheck_begin();
    __sacheck_used(l->__status);
    __sacheck_try(&l->__writer);
    if (l->__writer == 0) {
        l->__readers = l->__readers + 1;
        __sacheck_reads(l);
        __sacheck_acquire(&l->__writer);
        result = 0;
    }
    __sacheck_end();
    return result;
}
int pthread_rwlock_wrlock(pthread_rwlock_t *l) {
    int self = __sacheck_self(), result = 0;
    __sacheck_begin();
    __sacheck_used(l->__status);
    if (l->__writer == self) {
        __sacheck_wait(__sacheck_any());
        result = 35;
    } else {
        __sacheck_wait(l->__writer == 0 && l->__readers == 0);
        l->__writer = self;
        __sacheck_acquire(&l->__writer);
        __sacheck_acquire(&l->__readers);
    }
    __sacheck_end();
    return result;
}
int pthread_rwlock_trywrlock(pthread_rwlock_t *l) {
    int self = __sacheck_self(), result = 16;
    __sacheck_begin();
    __sacheck_used(l->__status);
    __sacheck_try(&l->__writer);
    if (l->__writer == 0 && l->__readers == 0) {
        l->__writer = self;
        __sacheck_acquire(&l->__writer);
        __sacheck_acquire(&l->__readers);
        result = 0;
    }
    __sacheck_end();
    return result;
}
int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *t) {
    return pthread_rwlock_tryrdlock(l) ? 110 : 0;
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *t) {
    return pthread_rwlock_trywrlock(l) ? 110 : 0;
}
int pthread_rwlock_unlock(pthread_rwlock_t *l) {
    int self = __sacheck_self();
    __sacheck_begin();
    __sacheck_used(l->__status);
    if (l->__writer == self) {
        l->__writer = 0;
        __sacheck_release(&l->__writer);
    } else if (__sacheck_has_read(l)) {
        l->__readers = l->__readers - 1;
        __sacheck_release(&l->__readers);
    } else
        __sacheck_fail("lock");
    __sacheck_end();
    return 0;
}

/* Who comes for the next round waits until everybody has left this one: leaving is nobody else's business. */
int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *a, unsigned int needed) {
    __sacheck_begin();
    b->__needed = needed;
    b->__arrived = 0;
    b->__leaving = 0;
    b->__status = __READY;
    __sacheck_end();
    return 0;
}
/* As in glibc, who destroys it waits for those who have been released. */
int pthread_barrier_destroy(pthread_barrier_t *b) {
    __sacheck_begin();
    __sacheck_initialised(b->__status);
    __sacheck_wait(b->__leaving == 0);
    if (b->__arrived != 0) __sacheck_fail("destruction while in use");
    b->__status = __DESTROYED;
    __sacheck_end();
    return 0;
}
int pthread_barrier_wait(pthread_barrier_t *b) {
    int last = 0;
    __sacheck_begin();
    __sacheck_initialised(b->__status);
    __sacheck_wait(b->__leaving == 0);
    __sacheck_acquire(&b->__arrived);
    __sacheck_release(&b->__arrived);
    if (b->__arrived + 1 == b->__needed) {
        b->__arrived = 0;
        b->__leaving = b->__needed - 1;
        last = 1;
    } else
        b->__arrived = b->__arrived + 1;
    __sacheck_end();
    if (last) return -1;
    __sacheck_begin();
    __sacheck_wait(b->__leaving > 0);
    b->__leaving = b->__leaving - 1;
    __sacheck_acquire(&b->__arrived);
    __sacheck_end();
    return 0;
}

int pthread_once(pthread_once_t *o, void (*f)(void)) {
    int mine = 0;
    __sacheck_begin();
    __sacheck_wait(o->__state != 1);
    __sacheck_acquire(&o->__state);
    if (o->__state == 0) {
        o->__state = 1;
        mine = 1;
    }
    __sacheck_end();
    if (mine) {
        f();
        __sacheck_begin();
        o->__state = 2;
        __sacheck_release(&o->__state);
        __sacheck_end();
    }
    return 0;
}

int sem_init(sem_t *s, int shared, unsigned int value) {
    __sacheck_begin();
    s->__value = value;
    s->__status = 0;
    __sacheck_end();
    return 0;
}
int sem_destroy(sem_t *s) {
    __sacheck_begin();
    __sacheck_used(s->__status);
    s->__status = __DESTROYED;
    __sacheck_end();
    return 0;
}
int sem_wait(sem_t *s) {
    __sacheck_begin();
    __sacheck_used(s->__status);
    __sacheck_wait(s->__value > 0);
    s->__value = s->__value - 1;
    __sacheck_acquire(&s->__value);
    __sacheck_end();
    return 0;
}
int sem_trywait(sem_t *s) {
    int result = -1;
    __sacheck_begin();
    __sacheck_used(s->__status);
    __sacheck_try((int *) &s->__value);
    if (s->__value > 0) {
        s->__value = s->__value - 1;
        __sacheck_acquire(&s->__value);
        result = 0;
    }
    __sacheck_end();
    if (result) __errno = 11;
    return result;
}
int sem_timedwait(sem_t *s, const struct timespec *t) {
    int result = sem_trywait(s);
    if (result) __errno = 110;
    return result;
}
int sem_post(sem_t *s) {
    __sacheck_begin();
    __sacheck_used(s->__status);
    s->__value = s->__value + 1;
    __sacheck_release(&s->__value);
    __sacheck_end();
    return 0;
}
int sem_getvalue(sem_t *s, int *value) {
    unsigned int found;
    __sacheck_begin();
    __sacheck_used(s->__status);
    __sacheck_try((int *) &s->__value);
    found = s->__value;
    __sacheck_end();
    *value = found;
    return 0;
}

int pthread_attr_init(pthread_attr_t *a) { return 0; }
int pthread_attr_destroy(pthread_attr_t *a) { return 0; }
int pthread_attr_setdetachstate(pthread_attr_t *a, int state) { return 0; }
int pthread_attr_setstacksize(pthread_attr_t *a, unsigned long size) { return 0; }
int pthread_attr_setguardsize(pthread_attr_t *a, unsigned long size) { return 0; }
int pthread_attr_setscope(pthread_attr_t *a, int scope) { return 0; }
int pthread_attr_setinheritsched(pthread_attr_t *a, int inherit) { return 0; }
int pthread_attr_setschedpolicy(pthread_attr_t *a, int policy) { return 0; }
int pthread_setconcurrency(int level) { return 0; }
int pthread_setname_np(pthread_t t, const char *name) { return 0; }
/* Threads are not cancelled: there is no `pthread_cancel`. */
int pthread_setcancelstate(int state, int *before) { if (before) *before = 0; return 0; }
int pthread_setcanceltype(int type, int *before) { if (before) *before = 0; return 0; }
void pthread_testcancel(void) { }
int pthread_mutexattr_setpshared(pthread_mutexattr_t *a, int shared) { return 0; }
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *a, int protocol) { return 0; }
int pthread_condattr_init(pthread_condattr_t *a) { return 0; }
int pthread_condattr_destroy(pthread_condattr_t *a) { return 0; }
int pthread_condattr_setclock(pthread_condattr_t *a, int clock) { return 0; }
int pthread_condattr_setpshared(pthread_condattr_t *a, int shared) { return 0; }
int pthread_rwlockattr_init(pthread_rwlockattr_t *a) { return 0; }
int pthread_rwlockattr_destroy(pthread_rwlockattr_t *a) { return 0; }
int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *a, int kind) { return 0; }
int pthread_barrierattr_init(pthread_barrierattr_t *a) { return 0; }
int pthread_barrierattr_destroy(pthread_barrierattr_t *a) { return 0; }
int pthread_detach(pthread_t t) { return 0; }
int pthread_yield(void) { return 0; }
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }

int mtx_init(mtx_t *m, int kind) {
    __sacheck_begin();
    m->__owner = 0;
    m->__depth = 0;
    m->__kind = (kind == 1 || kind == 3) ? 1 : 0;
    m->__status = 0;
    __sacheck_end();
    return 0;
}
void mtx_destroy(mtx_t *m) { pthread_mutex_destroy((pthread_mutex_t *) m); }
int mtx_lock(mtx_t *m) { return pthread_mutex_lock((pthread_mutex_t *) m); }
int mtx_trylock(mtx_t *m) { return pthread_mutex_trylock((pthread_mutex_t *) m) ? 1 : 0; }
int mtx_timedlock(mtx_t *m, const struct timespec *t) {
    return pthread_mutex_timedlock((pthread_mutex_t *) m, t) ? 4 : 0;
}
int mtx_unlock(mtx_t *m) { return pthread_mutex_unlock((pthread_mutex_t *) m); }
int cnd_init(cnd_t *c) { return pthread_cond_init((pthread_cond_t *) c, 0); }
void cnd_destroy(cnd_t *c) { pthread_cond_destroy((pthread_cond_t *) c); }
int cnd_wait(cnd_t *c, mtx_t *m) { return pthread_cond_wait((pthread_cond_t *) c, (pthread_mutex_t *) m); }
int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *t) {
    return pthread_cond_timedwait((pthread_cond_t *) c, (pthread_mutex_t *) m, t) ? 4 : 0;
}
int cnd_signal(cnd_t *c) { return pthread_cond_signal((pthread_cond_t *) c); }
int cnd_broadcast(cnd_t *c) { return pthread_cond_broadcast((pthread_cond_t *) c); }
void call_once(once_flag *o, void (*f)(void)) { pthread_once((pthread_once_t *) o, f); }
int thrd_detach(thrd_t t) { return 0; }
int thrd_equal(thrd_t a, thrd_t b) { return a == b; }
void thrd_yield(void) { }

/* For pointers to them: calls have their own meanings. */
void *malloc(unsigned long n) { return malloc(n); }
void *calloc(unsigned long n, unsigned long size) { return calloc(n, size); }
void free(void *p) { free(p); }

void atomic_signal_fence(memory_order o) { }
unsigned int sleep(unsigned int n) { return 0; }
int usleep(unsigned int n) { return 0; }
int sched_yield(void) { return 0; }
long clock(void) { return __sacheck_number(); }
int nanosleep(const struct timespec *a, struct timespec *b) { return 0; }
void srand(unsigned int n) { }
int abs(int n) { return n < 0 ? -n : n; }
long labs(long n) { return n < 0 ? -n : n; }
long long llabs(long long n) { return n < 0 ? -n : n; }
long imaxabs(long n) { return n < 0 ? -n : n; }
/* Bits. Of 0 the first and the last one are any numbers, as gcc has it. */
int __builtin_popcountll(unsigned long long x) {
    int n = 0;
    while (x) {
        n = n + (int) (x & 1);
        x = x >> 1;
    }
    return n;
}
int __builtin_ctzll(unsigned long long x) {
    int n = 0;
    if (!x) return (int) __sacheck_number();
    while (!(x & 1)) {
        x = x >> 1;
        n = n + 1;
    }
    return n;
}
int __builtin_clzll(unsigned long long x) {
    int n = 63;
    if (!x) return (int) __sacheck_number();
    while (x > 1) {
        x = x >> 1;
        n = n - 1;
    }
    return n;
}
int __builtin_popcountl(unsigned long x) { return __builtin_popcountll(x); }
int __builtin_popcount(unsigned int x) { return __builtin_popcountll(x); }
int __builtin_parity(unsigned int x) { return __builtin_popcountll(x) & 1; }
int __builtin_ctzl(unsigned long x) { return __builtin_ctzll(x); }
int __builtin_ctz(unsigned int x) { return __builtin_ctzll(x); }
int __builtin_clzl(unsigned long x) { return __builtin_clzll(x); }
int __builtin_clz(unsigned int x) { return x ? __builtin_clzll(x) - 32 : (int) __sacheck_number(); }
int ffs(int x) { return x ? __builtin_ctzll((unsigned int) x) + 1 : 0; }
int ffsl(long x) { return x ? __builtin_ctzll((unsigned long) x) + 1 : 0; }
int ffsll(long long x) { return x ? __builtin_ctzll((unsigned long long) x) + 1 : 0; }
unsigned short __builtin_bswap16(unsigned short x) { return x % 256 * 256 + x / 256; }
unsigned int __builtin_bswap32(unsigned int x) { return __builtin_bswap16(x % 65536) * 65536u + __builtin_bswap16(x / 65536); }
void srandom(unsigned int n) { }
int rand_r(unsigned int *seed) { *seed = __sacheck_number(); return rand(); }

/* What threads have for a key: each place where keys are created makes one, numbered from 1, so that zero is no key. */
_Atomic int __keys[9];
void (*_Atomic __ends[9])(void *);
_Thread_local void *__specific[9];
int __new_key(pthread_key_t *key, int place, void (*end)(void *)) {
    int before;
    __sacheck_begin();
    before = __keys[place];
    __keys[place] = __READY;
    __ends[place] = end;
    __sacheck_end();
    if (before == __READY) __sacheck_fail("more keys than the translation has");
    *key = place;
    return 0;
}
int __sacheck_pthread_key_create(pthread_key_t *key, int place, void (*end)(void *)) { return __new_key(key, place, end); }
int __sacheck_tss_create(tss_t *key, int place, void (*end)(void *)) { return __new_key(key, place, end); }
/* At the end of a thread the value of a key is given to its function, unless the key was deleted. */
int __sacheck_end_of_key(int place) {
    void *value = __specific[place];
    void (*end)(void *);
    if (!value) return 0;
    __sacheck_begin();
    end = __keys[place] == __READY ? __ends[place] : 0;
    __sacheck_end();
    if (!end) return 0;
    __specific[place] = 0;
    end(value);
    return 1;
}
void *pthread_getspecific(pthread_key_t key) {
    __sacheck_begin();
    __sacheck_initialised(__keys[key]);
    __sacheck_end();
    return __specific[key];
}
int pthread_setspecific(pthread_key_t key, const void *value) {
    __sacheck_begin();
    __sacheck_initialised(__keys[key]);
    __sacheck_end();
    __specific[key] = (void *) value;
    return 0;
}
int pthread_key_delete(pthread_key_t key) {
    __sacheck_begin();
    __sacheck_initialised(__keys[key]);
    __keys[key] = __DESTROYED;
    __sacheck_end();
    return 0;
}
void tss_delete(tss_t key) { pthread_key_delete(key); }
void *tss_get(tss_t key) { return pthread_getspecific(key); }
int tss_set(tss_t key, void *value) { return pthread_setspecific(key, value); }

/* Clocks that never go back: what they said last. */
_Atomic long __seconds[8], __nanoseconds[8];
int clock_gettime(int clock, struct timespec *t) {
    long seconds, nanoseconds = rand() % 1000000000L;
    if (clock == 1 || clock == 2 || clock == 4 || clock == 6 || clock == 7) {
        __sacheck_begin();
        seconds = __sacheck_number();
        __sacheck_wait(seconds > __seconds[clock] || (seconds == __seconds[clock] && nanoseconds >= __nanoseconds[clock]));
        __seconds[clock] = seconds;
        __nanoseconds[clock] = nanoseconds;
        __sacheck_end();
    } else
        seconds = __sacheck_number();
    t->tv_sec = seconds;
    t->tv_nsec = nanoseconds;
    return 0;
}
int timespec_get(struct timespec *t, int base) { t->tv_sec = __sacheck_number(); t->tv_nsec = rand() % 1000000000L; return base; }
int gettimeofday(struct timeval *t, void *zone) { t->tv_sec = __sacheck_number(); t->tv_usec = rand() % 1000000L; return 0; }
long time(long *t) {
    long now = __sacheck_number();
    if (t) *t = now;
    return now;
}

int __sacheck_isdigit(int c) { return c >= '0' && c <= '9'; }
int __sacheck_isupper(int c) { return c >= 'A' && c <= 'Z'; }
int __sacheck_islower(int c) { return c >= 'a' && c <= 'z'; }
int __sacheck_isalpha(int c) { return __sacheck_isupper(c) || __sacheck_islower(c); }
int __sacheck_isalnum(int c) { return __sacheck_isalpha(c) || __sacheck_isdigit(c); }
int __sacheck_isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int __sacheck_isxdigit(int c) { return __sacheck_isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
int __sacheck_isblank(int c) { return c == ' ' || c == '\t'; }
int __sacheck_isprint(int c) { return c >= 32 && c <= 126; }
int __sacheck_ispunct(int c) { return c >= 33 && c <= 126 && !__sacheck_isalnum(c); }
int __sacheck_iscntrl(int c) { return (c >= 0 && c <= 31) || c == 127; }
int __sacheck_isgraph(int c) { return c >= 33 && c <= 126; }
/* For pointers to them. */
int isdigit(int c) { return isdigit(c); }
int isupper(int c) { return isupper(c); }
int islower(int c) { return islower(c); }
int isalpha(int c) { return isalpha(c); }
int isalnum(int c) { return isalnum(c); }
int isspace(int c) { return isspace(c); }
int isxdigit(int c) { return isxdigit(c); }
int isblank(int c) { return isblank(c); }
int isprint(int c) { return isprint(c); }
int ispunct(int c) { return ispunct(c); }
int iscntrl(int c) { return iscntrl(c); }
int isgraph(int c) { return isgraph(c); }
int toupper(int c) { return __sacheck_islower(c) ? c - 32 : c; }
int tolower(int c) { return __sacheck_isupper(c) ? c + 32 : c; }
unsigned long strlen(const char *s) {
    unsigned long n = 0;
    while (s[n]) n = n + 1;
    return n;
}
int strcmp(const char *a, const char *b) { return strcmp(a, b); }
int __sacheck_strcmp(const char *a, const char *b) {
    unsigned long n = 0;
    while (a[n] && a[n] == b[n]) n = n + 1;
    return (unsigned char) a[n] - (unsigned char) b[n];
}
int strncmp(const char *a, const char *b, unsigned long most) { return strncmp(a, b, most); }
int __sacheck_strncmp(const char *a, const char *b, unsigned long most) {
    unsigned long n = 0;
    while (n < most && a[n] && a[n] == b[n]) n = n + 1;
    return n < most ? (unsigned char) a[n] - (unsigned char) b[n] : 0;
}
char *strcpy(char *to, const char *from) {
    unsigned long n = 0;
    while (from[n]) {
        to[n] = from[n];
        n = n + 1;
    }
    __sacheck_apart(to, n + 1, from, n + 1);
    to[n] = 0;
    return to;
}
char *strncpy(char *to, const char *from, unsigned long most) {
    unsigned long n = 0;
    while (n < most && from[n]) {
        to[n] = from[n];
        n = n + 1;
    }
    __sacheck_apart(to, most, from, n < most ? n + 1 : n);
    while (n < most) {
        to[n] = 0;
        n = n + 1;
    }
    return to;
}
int strcasecmp(const char *a, const char *b) { return strcasecmp(a, b); }
int __sacheck_strcasecmp(const char *a, const char *b) {
    unsigned long n = 0;
    while (a[n] && tolower((unsigned char) a[n]) == tolower((unsigned char) b[n])) n = n + 1;
    return tolower((unsigned char) a[n]) - tolower((unsigned char) b[n]);
}
int strncasecmp(const char *a, const char *b, unsigned long most) { return strncasecmp(a, b, most); }
int __sacheck_strncasecmp(const char *a, const char *b, unsigned long most) {
    unsigned long n = 0;
    while (n < most && a[n] && tolower((unsigned char) a[n]) == tolower((unsigned char) b[n])) n = n + 1;
    return n < most ? tolower((unsigned char) a[n]) - tolower((unsigned char) b[n]) : 0;
}
/* For pointers to them. */
unsigned long strcspn(const char *s, const char *stops) { return strcspn(s, stops); }
unsigned long strspn(const char *s, const char *kept) { return strspn(s, kept); }
unsigned long __sacheck_strcspn(const char *s, const char *stops) {
    unsigned long n = 0;
    while (s[n] && !strchr(stops, s[n])) n = n + 1;
    return n;
}
unsigned long __sacheck_strspn(const char *s, const char *kept) {
    unsigned long n = 0;
    while (s[n] && strchr(kept, s[n])) n = n + 1;
    return n;
}
char *strpbrk(const char *s, const char *stops) {
    unsigned long n = strcspn(s, stops);
    return s[n] ? (char *) s + n : 0;
}
char *strcat(char *to, const char *from) { strcpy(to + strlen(to), from); return to; }
char *strchr(const char *s, int c) {
    unsigned long n = 0;
    while (s[n] && s[n] != (char) c) n = n + 1;
    return s[n] == (char) c ? (char *) s + n : 0;
}
void *memchr(const void *s, int c, unsigned long most) {
    unsigned long n = 0;
    while (n < most && ((const unsigned char *) s)[n] != (unsigned char) c) n = n + 1;
    return n < most ? (unsigned char *) s + n : 0;
}
char *strrchr(const char *s, int c) {
    char *found = 0;
    unsigned long n = 0;
    while (s[n]) {
        if (s[n] == (char) c) found = (char *) s + n;
        n = n + 1;
    }
    return (char) c ? found : (char *) s + n;
}
char *strncat(char *to, const char *from, unsigned long most) {
    unsigned long start = strlen(to), n = 0;
    while (n < most && from[n]) {
        to[start + n] = from[n];
        n = n + 1;
    }
    __sacheck_apart(to, start + n + 1, from, n < most ? n + 1 : n);
    to[start + n] = 0;
    return to;
}
unsigned long strnlen(const char *s, unsigned long most) {
    unsigned long n = 0;
    while (n < most && s[n]) n = n + 1;
    return n;
}
char *strstr(const char *s, const char *part) {
    unsigned long n = 0, size = strlen(part);
    while (strncmp(s + n, part, size)) {
        if (!s[n]) return 0;
        n = n + 1;
    }
    return (char *) s + n;
}
char *__sacheck_strdup(const char *s) { return strcpy((char *) malloc((strlen(s) + 1) * sizeof(char)), s); }
char *strndup(const char *s, unsigned long most) {
    unsigned long n = strnlen(s, most);
    char *made = malloc((n + 1) * sizeof(char));
    strncpy(made, s, n);
    made[n] = 0;
    return made;
}
/* A stream has come to its end, or an error has happened, until `clearerr` (C11 7.21.1). */
typedef struct { int __unused; _Atomic int __over; _Atomic int __wrong; } FILE;
FILE __files[3];
FILE *stdin = &__files[0], *stdout = &__files[1], *stderr = &__files[2];
/* What files have is the outside's choice, and what is written to them nobody reads. A stream that was closed has ended. */
FILE *fopen(const char *name, const char *how) {
    if (__sacheck_any()) return 0;
    return (FILE *) calloc(1, sizeof(FILE));
}
void __sacheck_stream(FILE *f) { if (f->__unused) return; }
int fclose(FILE *f) {
    __sacheck_stream(f);
    if (f != &__files[0] && f != &__files[1] && f != &__files[2]) free(f);
    return __sacheck_any() ? -1 : 0;
}
int __sacheck_yes(int holds) {
    int n = (int) __sacheck_number();
    return holds ? (n ? n : 1) : 0;
}
int feof(FILE *f) { __sacheck_stream(f); return __sacheck_yes(f->__over); }
int ferror(FILE *f) { __sacheck_stream(f); return __sacheck_yes(f->__wrong); }
void clearerr(FILE *f) {
    __sacheck_stream(f);
    f->__over = 0;
    f->__wrong = 0;
}
/* Nothing more is read: this is the end if something was read before, and may be an error else. */
void __sacheck_stops(FILE *f, int some) {
    if (some || __sacheck_any())
        f->__over = 1;
    else
        f->__wrong = 1;
}
/* Of `scanf`, which may have seen the end behind what it has read. */
void __sacheck_scans(FILE *f, int count) {
    if (count < 0)
        __sacheck_stops(f, 0);
    else if (__sacheck_any())
        f->__over = 1;
}
int fgetc(FILE *f) {
    __sacheck_stream(f);
    if (!__sacheck_any()) return (unsigned char) __sacheck_number();
    __sacheck_stops(f, 0);
    return -1;
}
int getc(FILE *f) { return fgetc(f); }
int getchar(void) { return fgetc(stdin); }
/* A line up to its end, or as much as there is room for. Where nothing is read, nothing is written. */
char *fgets(char *s, int n, FILE *f) {
    int k = 0;
    __sacheck_stream(f);
    while (k < n - 1) {
        if (__sacheck_any()) {
            __sacheck_stops(f, k);
            break;
        }
        s[k] = (char) __sacheck_number();
        k = k + 1;
        if (s[k - 1] == '\n') break;
    }
    /* Where there is room for its end alone, a line may count as read. */
    if (k == 0 && (n != 1 || __sacheck_any())) return 0;
    s[k] = 0;
    return s;
}
/* A word from outside has a letter at least. */
void __sacheck_word(char *to, int most) {
    int k = 0;
    while (k < most && (k == 0 || __sacheck_any())) {
        to[k] = (char) __sacheck_number();
        if (!to[k]) to[k] = 1;
        k = k + 1;
    }
    to[k] = 0;
}
/* A number that is read from a text ends somewhere in it. */
void __sacheck_number_ends(const char *s, char **end) {
    while (*s && __sacheck_any()) s = s + 1;
    *end = (char *) s;
}
/* Of a text that the program has, the number is the one that stands there. */
long __sacheck_number_of(const char *text, char **end) {
    const char *s = text;
    long n = 0;
    int minus = 0, digits = 0;
    while (*s == ' ' || (*s >= 9 && *s <= 13)) s = s + 1;
    if (*s == '-' || *s == '+') {
        minus = *s == '-';
        s = s + 1;
    }
    while (*s >= '0' && *s <= '9') {
        n = n * 10 + (*s - '0');
        digits = 1;
        s = s + 1;
    }
    if (end) *end = (char *) (digits ? s : text);
    return minus ? -n : n;
}
/* Texts that are made: what there is no room for is counted only. What they are made of is elsewhere (C11 7.21.6.5). */
unsigned long __sacheck_put(char *to, unsigned long room, unsigned long at, int c) {
    if (at + 1 < room) to[at] = (char) c;
    return at + 1;
}
unsigned long __sacheck_put_text(char *to, unsigned long room, unsigned long at, const char *s) {
    unsigned long n = 0;
    while (s[n]) {
        at = __sacheck_put(to, room, at, s[n]);
        n = n + 1;
    }
    return at;
}
unsigned long __sacheck_put_string(char *to, unsigned long room, unsigned long at, const char *s) {
    unsigned long after = __sacheck_put_text(to, room, at, s);
    if (room) __sacheck_apart(to, after < room ? after + 1 : room, s, after - at + 1);
    return after;
}
/* The base is a constant in each of these: remainders by variables have no bounds. */
unsigned long __sacheck_put_unsigned_long(char *to, unsigned long room, unsigned long at, unsigned long n) {
    char digits[20];
    int k = 0;
    do {
        digits[k] = (char) ('0' + n % 10);
        n = n / 10;
        k = k + 1;
    } while (n);
    while (k > 0) {
        k = k - 1;
        at = __sacheck_put(to, room, at, digits[k]);
    }
    return at;
}
unsigned long __sacheck_put_unsigned(char *to, unsigned long room, unsigned long at, unsigned int n) {
    return __sacheck_put_unsigned_long(to, room, at, n);
}
unsigned long __sacheck_put_long(char *to, unsigned long room, unsigned long at, long n) {
    if (n >= 0) return __sacheck_put_unsigned_long(to, room, at, n);
    at = __sacheck_put(to, room, at, '-');
    return __sacheck_put_unsigned_long(to, room, at, 0ul - (unsigned long) n);
}
unsigned long __sacheck_put_int(char *to, unsigned long room, unsigned long at, int n) {
    return __sacheck_put_long(to, room, at, n);
}
unsigned long __sacheck_put_hexadecimal_long(char *to, unsigned long room, unsigned long at, unsigned long n) {
    char digits[16];
    int k = 0;
    do {
        digits[k] = (char) (n % 16 < 10 ? '0' + n % 16 : 'a' + n % 16 - 10);
        n = n / 16;
        k = k + 1;
    } while (n);
    while (k > 0) {
        k = k - 1;
        at = __sacheck_put(to, room, at, digits[k]);
    }
    return at;
}
unsigned long __sacheck_put_hexadecimal(char *to, unsigned long room, unsigned long at, unsigned int n) {
    return __sacheck_put_hexadecimal_long(to, room, at, n);
}
/* Nothing that comes later was put where a text is that was read before. */
unsigned long __sacheck_put_beside(char *to, unsigned long room, unsigned long at, const char *s) {
    if (room) __sacheck_apart(to, at < room ? at + 1 : room, s, 1);
    return at;
}
int __sacheck_put_end(char *to, unsigned long room, unsigned long at) {
    if (room) to[at < room ? at : room - 1] = 0;
    return (int) at;
}
