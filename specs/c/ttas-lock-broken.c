// expect: refuted
// The lock is written without a look at what was there.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_int lock;
int owner;

static void acquire(void) {
    while (1) {
        while (atomic_load(&lock) != 0) { }
        atomic_store(&lock, 1);
        return;
    }
}

static void worker(int self) {
    while (1) {
        acquire();
        owner = self;
        assert(owner == self);
        atomic_store(&lock, 0);
    }
}

void *first(void *arg) {
    worker(1);
    return NULL;
}

void *second(void *arg) {
    worker(2);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, first, NULL);
    pthread_create(&t1, NULL, second, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
