#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
static atomic_uint head, tail;
static int slots[4];
static void *producer(void *a) {
    int n = 0;
    for (;;) {
        unsigned t = tail;
        if (t - head != 4) {
            slots[t % 4] = n;
            tail = t + 1;
            n++;
        }
    }
    return a;
}
static void *consumer(void *a) {
    int want = 0;
    for (;;) {
        unsigned h = head;
        if (tail != h) {
            int v = slots[h % 4];
            head = h + 1;
            assert(v == want);
            want++;
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
