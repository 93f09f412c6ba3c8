// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#define CAP 8
static atomic_int l;
static int count, total;
static bool try_lock(void) { return atomic_exchange(&l, 1) == 0; }
static void step(int *c, int *t, int by) {
    int x = *c + by;
    *c = x;
    int y = *t + by;
    *t = y;
}
static void *put(void *arg) {
    while (true) {
        if (!try_lock()) continue;
        bool room = count < CAP;
        if (room) step(&count, &total, 1);
        atomic_store(&l, 0);
    }
    return arg;
}
static void *get(void *arg) {
    while (true) {
        if (!try_lock()) continue;
        bool same = count == total;
        assert(same);
        bool some = count > 0;
        if (some) step(&count, &total, -1);
        atomic_store(&l, 0);
    }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, put, 0);
    pthread_create(&b, 0, get, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
