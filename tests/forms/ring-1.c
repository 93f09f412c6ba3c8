#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#define CAP 4u
static int slots[CAP];
static atomic_uint head, tail;
static bool push(int v) {
    unsigned t = atomic_load(&tail);
    unsigned h = atomic_load(&head);
    if (t - h == CAP)
        return false;
    slots[t % CAP] = v;
    atomic_store(&tail, t + 1);
    return true;
}
static bool pop(int *out) {
    unsigned h = atomic_load(&head);
    if (atomic_load(&tail) == h)
        return false;
    *out = slots[h % CAP];
    atomic_store(&head, h + 1);
    return true;
}
static void *producer(void *a) {
    unsigned n = 0;
    for (;;)
        if (push((int)n))
            n++;
    return a;
}
static void *consumer(void *a) {
    unsigned want = 0;
    int v;
    for (;;)
        if (pop(&v)) {
            assert(v == (int)want);
            want++;
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
