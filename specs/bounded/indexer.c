// expect: proved
// paper: Threader 0.7 s; CBMC T/O; LR err (indexer_safe, u=130)
// Each thread puts its own numbers into a hash table, with a compare-and-swap on the cell; numbers collide only if 12
// threads are there, and here are two.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define SIZE 8
#define MAX 3

atomic_int table[SIZE];

static void put(int id, int k) {
    int w = k * 2 + id + 1;
    int h = (w * 7) % SIZE;
    int empty = 0;
    while (!atomic_compare_exchange_strong(&table[h], &empty, w)) {
        h = (h + 1) % SIZE;
        empty = 0;
    }
}

void *first(void *arg) {
    for (int k = 0; k < MAX; k++)
        put(0, k);
    return 0;
}

void *second(void *arg) {
    for (int k = 0; k < MAX; k++)
        put(1, k);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    int n = 0;
    pthread_create(&t1, 0, first, 0);
    pthread_create(&t2, 0, second, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    for (int k = 0; k < SIZE; k++)
        n += table[k] != 0;
    assert(n == 2 * MAX);
    return 0;
}
