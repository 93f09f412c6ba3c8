// expect: refuted
// The producer is a place too far ahead.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define SIZE 2
#define MASK (SIZE - 1)

int ring[SIZE];
atomic_uint head, tail;

_Bool offer(int value) {
    unsigned int t = atomic_load_explicit(&tail, memory_order_relaxed);
    if (t - atomic_load_explicit(&head, memory_order_acquire) == SIZE + 1)
        return 0;
    ring[t & MASK] = value;
    atomic_store_explicit(&tail, t + 1, memory_order_release);
    return 1;
}

_Bool take(int *value) {
    unsigned int h = atomic_load_explicit(&head, memory_order_relaxed);
    if (atomic_load_explicit(&tail, memory_order_acquire) == h)
        return 0;
    *value = ring[h & MASK];
    atomic_store_explicit(&head, h + 1, memory_order_release);
    return 1;
}

void *producer(void *arg) {
    for (int i = 1; i <= 3; i++)
        while (!offer(i)) { }
    return NULL;
}

void *consumer(void *arg) {
    int got;
    for (int i = 1; i <= 3; i++) {
        while (!take(&got)) { }
        assert(got == i);
    }
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, producer, NULL);
    pthread_create(&t1, NULL, consumer, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
