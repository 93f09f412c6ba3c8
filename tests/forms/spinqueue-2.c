// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#define CAP 8
static atomic_bool busy;
static int count, total;
static void *put(void *arg) {
    while (1) {
        bool expected;
        do { expected = false; } while (!atomic_compare_exchange_strong(&busy, &expected, true));
        int c = count;
        if (c < CAP) {
            c += 1;
            count = c;
            int t = total;
            total = t + 1;
        }
        busy = false;
    }
    return arg;
}
static void *get(void *arg) {
    while (1) {
        bool expected;
        do { expected = false; } while (!atomic_compare_exchange_strong(&busy, &expected, true));
        int c = count;
        int t = total;
        assert(c == t);
        if (c > 0) {
            count = c - 1;
            total = t - 1;
        }
        busy = false;
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
