// expect: refuted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int state;
static int table[2];
static void *user(void *arg) {
    while (1) {
        int seen = atomic_load_explicit(&state, memory_order_acquire);
        if (seen != 2) {
            pthread_mutex_lock(&m);
            int now = state;
            if (now == 0) {
                state = 2;
                table[0] = 3;
                table[1] = 4;
                atomic_store_explicit(&state, 2, memory_order_release);
            }
            pthread_mutex_unlock(&m);
        }
        int x = table[0], y = table[1];
        assert(x + y == 7);
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
