// expect: refuted
// The last owner clears the object, and nobody uses it afterwards.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct object {
    atomic_int owners;
    int alive;
} o = {2, 1};

void drop(void) {
    if (atomic_fetch_sub(&o.owners, 1) == 1) {
        assert(o.alive == 1);
        o.alive = 0;
    }
}

void *one(void *arg) {
    assert(o.alive);
    drop();
    return NULL;
}

void *two(void *arg) {
    assert(o.alive);
    drop();
    drop();
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!o.alive);
    return 0;
}
