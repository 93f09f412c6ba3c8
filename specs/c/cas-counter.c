// expect: proved
// A counter that is increased by compare and exchange until it succeeds.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_int counter;

static void increase(void) {
    int seen = atomic_load(&counter);
    while (!atomic_compare_exchange_weak(&counter, &seen, seen + 1)) { }
}

void *worker(void *arg) {
    increase();
    increase();
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, worker, NULL);
    pthread_create(&t1, NULL, worker, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    assert(counter == 4);
    return 0;
}
