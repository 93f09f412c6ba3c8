// expect: refuted
// An object is made by whoever comes first; the flag is read before the lock is taken.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int a, b;
};

struct config *instance;
atomic_int ready;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct config *get(void) {
    if (!ready) {
        pthread_mutex_lock(&lock);
        if (!ready) {
            struct config *made = malloc(sizeof(*made));
            ready = 1;
            made->a = 1;
            made->b = 2;
            instance = made;
        }
        pthread_mutex_unlock(&lock);
    }
    return instance;
}

void *one(void *arg) {
    struct config *c = get();
    assert(c->a + c->b == 3);
    return NULL;
}

void *two(void *arg) {
    struct config *c = get();
    assert(c == instance);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(get()->b == 2);
    return 0;
}
