// expect: refuted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
static atomic_int claimed, ready;
static int value;
static bool first(void) { return atomic_exchange(&claimed, 1) == 0; }
static void *user(void *arg) {
    int copy;
    while (true) {
        bool mine = first();
        if (mine) {
            ready = 1;
            value = 42;
            ready = 1;
        }
        while (!ready) { }
        copy = value;
        bool good = copy == 42;
        assert(good);
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
