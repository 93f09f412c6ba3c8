// expect: refuted
// The top is written whatever happened since.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

_Atomic(struct node *) top;

void push(int value) {
    struct node *n = malloc(sizeof(struct node));
    n->value = value;
    struct node *old = atomic_load(&top);
    do {
        n->next = old;
        top = n;
    } while (0);
}

int pop(void) {
    struct node *old = atomic_load(&top);
    while (old != NULL) {
        if (atomic_compare_exchange_strong(&top, &old, old->next))
            return old->value;
    }
    return 0;
}

void *one(void *arg) {
    push(1);
    return NULL;
}

void *two(void *arg) {
    push(2);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int x = pop();
    int y = pop();
    assert(x + y == 3);
    assert(pop() == 0);
    return 0;
}
