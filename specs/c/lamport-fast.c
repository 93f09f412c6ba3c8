// expect: proved
// Lamport's fast lock for two threads, taken once each.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_int x, y;
atomic_int b1, b2;
int inside;

void *thr1(void *arg) {
    while (1) {
        b1 = 1;
        x = 1;
        if (y != 0) {
            b1 = 0;
            while (y != 0) { }
            continue;
        }
        y = 1;
        if (x != 1) {
            b1 = 0;
            while (b2 >= 1) { }
            if (y != 1) {
                while (y != 0) { }
                continue;
            }
        }
        break;
    }
    inside = 1;
    assert(inside == 1);
    y = 0;
    b1 = 0;
    return NULL;
}

void *thr2(void *arg) {
    while (1) {
        b2 = 1;
        x = 2;
        if (y != 0) {
            b2 = 0;
            while (y != 0) { }
            continue;
        }
        y = 2;
        if (x != 2) {
            b2 = 0;
            while (b1 >= 1) { }
            if (y != 2) {
                while (y != 0) { }
                continue;
            }
        }
        break;
    }
    inside = 2;
    assert(inside == 2);
    y = 0;
    b2 = 0;
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, thr1, NULL);
    pthread_create(&t1, NULL, thr2, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
