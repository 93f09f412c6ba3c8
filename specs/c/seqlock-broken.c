// expect: refuted
// An odd number is taken for good.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_int seq;
atomic_int a, b;

void *writer(void *arg) {
    for (int i = 1; i <= 2; i++) {
        atomic_fetch_add(&seq, 1);
        a = i;
        b = i;
        atomic_fetch_add(&seq, 1);
    }
    return NULL;
}

void *reader(void *arg) {
    int before, x, y;
    do {
        before = seq;
        x = a;
        y = b;
    } while (seq != before);
    assert(x == y);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, writer, NULL);
    pthread_create(&t1, NULL, reader, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
