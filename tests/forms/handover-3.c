// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct box { atomic_int full; unsigned item; };
static struct box there;
static void put(struct box *b, unsigned v) {
    int f;
    do { f = atomic_load(&b->full); } while (f != 0);
    b->item = v;
    atomic_store(&b->full, 1);
}
static void get(struct box *b, unsigned *v) {
    for (;;) {
        int f = atomic_load(&b->full);
        if (f == 1) break;
    }
    *v = b->item;
    atomic_store(&b->full, 0);
}
static void *sender(void *arg) {
    for (unsigned n = 0;; n++) put(&there, n);
    return arg;
}
static void *receiver(void *arg) {
    for (unsigned n = 0;; n++) {
        unsigned v;
        get(&there, &v);
        assert(v == n);
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
