#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#define SIZE 4u
struct ring {
    int data[SIZE];
    atomic_uint read, write;
};
static struct ring ring;
static bool enqueue(struct ring *q, int value) {
    unsigned w = atomic_load(&q->write);
    unsigned used = w - atomic_load(&q->read);
    if (used > SIZE)
        return false;
    q->data[w & (SIZE - 1)] = value;
    atomic_store(&q->write, w + 1u);
    return true;
}
static bool dequeue(struct ring *q, int *value) {
    unsigned r = atomic_load(&q->read);
    if (r == atomic_load(&q->write))
        return false;
    *value = q->data[r & (SIZE - 1)];
    atomic_store(&q->read, r + 1u);
    return true;
}
static void *producer(void *a) {
    int next = 0;
    while (1)
        if (enqueue(&ring, next))
            next = next + 1;
    return a;
}
static void *consumer(void *a) {
    int expected = 0, got;
    while (1) {
        if (!dequeue(&ring, &got))
            continue;
        assert(got == expected);
        expected = expected + 1;
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
