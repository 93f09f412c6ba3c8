// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
extern int __VERIFIER_nondet_int(void);
struct once { pthread_mutex_t m; atomic_int done; };
static struct once o = { PTHREAD_MUTEX_INITIALIZER, 0 };
static int n = -1;
static void setup(int *p) { *p = __VERIFIER_nondet_int(); if (*p < 0) *p = 0; }
static void call_once_only(struct once *w, int *p) {
    if (atomic_load(&w->done)) return;
    pthread_mutex_lock(&w->m);
    if (atomic_load(&w->done) == 0) {
        setup(p);
        atomic_store(&w->done, 1);
    }
    pthread_mutex_unlock(&w->m);
}
static void *user(void *arg) {
    for (;;) {
        call_once_only(&o, &n);
        assert(n >= 0);
    }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, user, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
