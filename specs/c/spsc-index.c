// expect: proved
// One producer, one consumer, and a ring; indices only grow.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 2

atomic_uint head, tail;
int ring[SIZE];

void *one(void *arg) {
    for (int v = 1; v <= 4; v++) {
        while (atomic_load(&tail) - atomic_load(&head) == SIZE)
            ;
        unsigned t = atomic_load(&tail);
        ring[t % SIZE] = v;
        atomic_store(&tail, t + 1);
    }
    return NULL;
}

void *two(void *arg) {
    for (int v = 1; v <= 4; v++) {
        while (atomic_load(&tail) == atomic_load(&head))
            ;
        unsigned h = atomic_load(&head);
        int got = ring[h % SIZE];
        atomic_store(&head, h + 1);
        assert(got == v);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
