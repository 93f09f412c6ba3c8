// expect: proved
// A queue lock in which each thread spins on its own node.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct node {
    _Atomic(struct node *) next;
    atomic_bool waiting;
};

_Atomic(struct node *) tail;
struct node first, second;
int counter;

void acquire(struct node *me) {
    atomic_store(&me->next, NULL);
    atomic_store(&me->waiting, true);
    struct node *before = atomic_exchange(&tail, me);
    if (before) {
        atomic_store(&before->next, me);
        while (atomic_load(&me->waiting)) { }
    }
}

void release(struct node *me) {
    struct node *after = atomic_load(&me->next);
    if (!after) {
        struct node *expected = me;
        if (atomic_compare_exchange_strong(&tail, &expected, NULL))
            return;
        while (!(after = atomic_load(&me->next))) { }
    }
    atomic_store(&after->waiting, false);
}

void *worker(void *arg) {
    struct node *me = arg;
    acquire(me);
    int seen = counter;
    counter = seen + 1;
    release(me);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, worker, &first);
    pthread_create(&t1, NULL, worker, &second);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    assert(counter == 2);
    return 0;
}
