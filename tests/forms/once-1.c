// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool ready;
static int value, times;
static void init(void) {
    value = 7;
    times++;
    atomic_store(&ready, true);
}
static int get(void) {
    if (atomic_load(&ready)) return value;
    pthread_mutex_lock(&m);
    if (!atomic_load(&ready)) init();
    pthread_mutex_unlock(&m);
    return value;
}
static void *user(void *arg) {
    int v = get();
    assert(v == 7);
    assert(times == 1);
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
