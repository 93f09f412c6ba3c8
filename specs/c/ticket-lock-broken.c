// expect: refuted
// Drawing a ticket is two steps.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define THREADS 3

atomic_uint next, serving;
int counter;

static void acquire(void) {
    unsigned int mine = atomic_load(&next);
    atomic_store(&next, mine + 1);
    while (atomic_load(&serving) != mine) { }
}

static void release(void) {
    atomic_store(&serving, atomic_load(&serving) + 1);
}

void *worker(void *arg) {
    acquire();
    counter++;
    release();
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counter == THREADS);
    return 0;
}
