// expect: proved
// A stack over indices with a version in the word that is swapped.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define NONE 3

int next[3];
atomic_uint top = NONE; /* the low two bits are an index, the others a version */

void push(unsigned n) {
    unsigned old = atomic_load(&top);
    do
        next[n] = old & 3;
    while (!atomic_compare_exchange_weak(&top, &old, ((old >> 2) + 1) * 4 + n));
}

unsigned pop(void) {
    unsigned old = atomic_load(&top);
    while ((old & 3) != NONE)
        if (atomic_compare_exchange_strong(&top, &old, ((old >> 2) + 1) * 4 + next[old & 3]))
            return old & 3;
    return NONE;
}

void *one(void *arg) {
    unsigned n = pop();
    if (n != NONE)
        push(n);
    return NULL;
}

void *two(void *arg) {
    unsigned n = pop();
    unsigned m = pop();
    assert(n == NONE || n != m);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    push(0);
    push(1);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
