// expect: proved
// Threads claim slots of a table by compare-and-swap; no slot is claimed twice.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 8
#define MAX 2

atomic_int table[SIZE];

void *worker(void *arg) {
    int tid = (int)(long)arg, m = 0;
    while (m < MAX) {
        int w = ++m * 3 + tid;
        int h = (w * 7) % SIZE;
        int free = 0;
        while (!atomic_compare_exchange_strong(&table[h], &free, w)) {
            assert(free != w);
            free = 0;
            h = (h + 1) % SIZE;
        }
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)1L);
    pthread_create(&b, NULL, worker, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
