// expect: proved
// Initialisation on first use, checked with and without the lock.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
atomic_int ready;
int value;

static int get(void) {
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&m);
        if (!atomic_load(&ready)) {
            value = 42;
            atomic_store(&ready, 1);
        }
        pthread_mutex_unlock(&m);
    }
    return value;
}

void *worker(void *arg) {
    int seen = get();
    assert(seen == 42);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, worker, NULL);
    pthread_create(&t1, NULL, worker, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
