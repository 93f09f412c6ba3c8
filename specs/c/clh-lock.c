// expect: proved
// A queue lock in which each thread spins on the node of the one before.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct node { atomic_bool locked; };

struct node nodes[3];
_Atomic(struct node *) tail;
int inside;

void critical(struct node *mine) {
    atomic_store(&mine->locked, true);
    struct node *before = atomic_exchange(&tail, mine);
    while (atomic_load(&before->locked)) { }
    inside++;
    assert(inside == 1);
    inside--;
    atomic_store(&mine->locked, false);
}

void *worker(void *arg) {
    critical(arg);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    atomic_init(&tail, &nodes[0]);
    pthread_create(&a, NULL, worker, &nodes[1]);
    pthread_create(&b, NULL, worker, &nodes[2]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
