// expect: proved
// Data before flag, flag before data.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

int data;
atomic_int flag;

void *producer(void *arg) {
    data = 7;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return NULL;
}

void *consumer(void *arg) {
    while (atomic_load_explicit(&flag, memory_order_acquire) == 0) { }
    assert(data == 7);
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
