// expect: refuted
// Any number of threads offer numbers to a maximum that is swapped in.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void abort(void);

atomic_int max;

void *worker(void *arg) {
    int mine = __VERIFIER_nondet_int();
    int seen = atomic_load(&max);
    while (seen < mine && (atomic_store(&max, mine), 0))
        ;
    assert(atomic_load(&max) >= mine);
    return NULL;
}

int main(void) {
    pthread_t t;
    while (__VERIFIER_nondet_bool())
        pthread_create(&t, NULL, worker, NULL);
    return 0;
}
