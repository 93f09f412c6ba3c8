#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#define SIZE 4
static int buffer[SIZE];
static _Atomic unsigned long wr, rd;
static int put(int v) {
    unsigned long w = wr;
    if (w - rd > SIZE)
        return 0;
    buffer[w & (SIZE - 1)] = v;
    atomic_fetch_add(&wr, 1);
    return 1;
}
static int get(int *v) {
    unsigned long r = rd;
    if (r == wr)
        return 0;
    *v = buffer[r & (SIZE - 1)];
    atomic_fetch_add(&rd, 1);
    return 1;
}
static void *producer(void *a) {
    int k = 0;
    while (1) {
        while (!put(k)) {
        }
        k = k + 1;
    }
    return a;
}
static void *consumer(void *a) {
    int last = -1, got;
    while (1) {
        if (get(&got)) {
            assert(got == last + 1);
            last = got;
        }
    }
    return a;
}
int main(void) {
    pthread_t p, c;
    pthread_create(&p, 0, producer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    return 0;
}
