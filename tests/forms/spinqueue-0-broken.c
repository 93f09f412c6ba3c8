// expect: refuted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define CAP 8
static atomic_flag l = ATOMIC_FLAG_INIT;
static int count, total;
static void *put(void *arg) {
    for (;;) {
        while (atomic_flag_test_and_set(&l)) { }
        if (count < CAP) {
            count++;
            atomic_flag_clear(&l);
            total++;
        }
        else atomic_flag_clear(&l);
    }
    return arg;
}
static void *get(void *arg) {
    for (;;) {
        while (atomic_flag_test_and_set(&l)) { }
        if (count > 0) {
            count--;
            total--;
        }
        assert(count == total);
        atomic_flag_clear(&l);
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
