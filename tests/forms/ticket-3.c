// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
struct lock { atomic_uint next, owner; };
static struct lock the_lock;
static int balance;
static unsigned acquire(struct lock *l) {
    unsigned mine = atomic_fetch_add(&l->next, 1);
    for (;;) {
        unsigned seen = atomic_load(&l->owner);
        if (seen == mine) break;
    }
    return mine;
}
static void release(struct lock *l, unsigned mine) { atomic_store(&l->owner, mine + 1); }
static void *worker(void *arg) {
    for (;;) {
        unsigned t = acquire(&the_lock);
        int old = balance;
        balance = old + 5;
        assert(balance == old + 5);
        balance = old;
        release(&the_lock, t);
    }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
