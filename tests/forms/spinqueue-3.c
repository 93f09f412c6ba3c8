// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define CAP 8
struct queue { atomic_int lock; int count, total; };
static struct queue q;
static void acquire(atomic_int *l) {
    for (;;) {
        int free = 0;
        if (atomic_compare_exchange_strong(l, &free, 1)) return;
    }
}
static void release(atomic_int *l) { atomic_store(l, 0); }
static void add(struct queue *p, int by) {
    p->count += by;
    p->total += by;
    release(&p->lock);
}
static void *producer(void *arg) {
    for (;;) {
        acquire(&q.lock);
        if (q.count >= CAP) { release(&q.lock); continue; }
        add(&q, 1);
    }
    return arg;
}
static void *consumer(void *arg) {
    for (;;) {
        acquire(&q.lock);
        assert(q.count == q.total);
        if (q.count <= 0) { release(&q.lock); continue; }
        add(&q, -1);
    }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
