// expect: refuted
// Any number of workers take a lock; one at a time is inside.
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int running;

void *worker(void *arg) {
    if (__VERIFIER_nondet_bool())
        pthread_mutex_lock(&lock);
    running++;
    assert(running == 1);
    running--;
    return NULL;
}

int main(void) {
    for (;;) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
    }
}
