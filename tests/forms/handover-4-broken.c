// expect: refuted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
static atomic_uint sent, received;
static unsigned box;
static void *sender(void *arg) {
    unsigned next = 0;
    while (true) {
        bool free = sent == received;
        if (!free) continue;
        sent = next + 1;
        box = next;
        unsigned after = next + 1;
        sent = after;
        next = after;
    }
    return arg;
}
static void *receiver(void *arg) {
    unsigned want = 0;
    while (true) {
        unsigned s = sent;
        if (s == want) continue;
        unsigned v = box;
        assert(v == want);
        want = want + 1;
        received = want;
    }
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
