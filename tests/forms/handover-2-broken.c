// expect: refuted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
static atomic_int turn;
static unsigned box;
static bool try_send(unsigned v) {
    if (atomic_load(&turn) != 0) return false;
    atomic_fetch_add(&turn, 1);
    box = v;
    return true;
}
static bool try_receive(unsigned *v) {
    if (atomic_load(&turn) != 1) return false;
    *v = box;
    atomic_fetch_sub(&turn, 1);
    return true;
}
static void *sender(void *arg) {
    unsigned n = 0;
    for (;;) if (try_send(n)) n++;
    return arg;
}
static void *receiver(void *arg) {
    unsigned want = 0, v;
    for (;;) if (try_receive(&v)) { assert(v == want); want++; }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, sender, 0);
    pthread_create(&b, 0, receiver, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
