// expect: proved
// Any number of threads count with compare-and-swap; the count never goes back.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern _Bool __VERIFIER_nondet_bool(void);

atomic_uint value;

unsigned increment(void) {
    unsigned v, grown;
    do {
        v = value;
        if (v == ~0u)
            return 0;
        grown = v + 1;
    } while (!atomic_compare_exchange_strong(&value, &v, grown));
    assert(value >= grown);
    return grown;
}

void *worker(void *arg) {
    increment();
    return NULL;
}

int main(void) {
    pthread_t t;
    while (__VERIFIER_nondet_bool())
        pthread_create(&t, NULL, worker, NULL);
    return 0;
}
