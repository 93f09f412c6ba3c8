// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int value;
static void *user(void *arg) {
    for (;;) {
        if (!atomic_load(&ready)) {
            pthread_mutex_lock(&m);
            if (!ready) {
                value = 42;
                ready = 1;
            }
            pthread_mutex_unlock(&m);
        }
        assert(value == 42);
    }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, user, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
