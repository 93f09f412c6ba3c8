// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
static atomic_bool full;
static unsigned box;
static void send(unsigned v) {
    while (full) { }
    box = v;
    full = true;
}
static unsigned receive(void) {
    while (!full) { }
    unsigned v = box;
    full = false;
    return v;
}
static void *sender(void *arg) {
    unsigned n = 0;
    while (1) send(n++);
    return arg;
}
static void *receiver(void *arg) {
    unsigned want = 0;
    while (1) { assert(receive() == want); want++; }
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
