// expect: refuted
// The first one destroys.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_int references = 2;
bool destroyed;
int users;

static void put(void) {
    assert(!destroyed);
    if (atomic_fetch_sub(&references, 1) == 2)
        destroyed = true;
}

void *worker(void *arg) {
    put();
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, worker, NULL);
    pthread_create(&t1, NULL, worker, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    assert(destroyed);
    return 0;
}
