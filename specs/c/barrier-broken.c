// expect: refuted
// The barrier is for one thread only.
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int a, b;

void *left(void *arg) {
    a = 1;
    pthread_barrier_wait(&barrier);
    assert(b == 1);
    return NULL;
}

void *right(void *arg) {
    b = 1;
    pthread_barrier_wait(&barrier);
    assert(a == 1);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_create(&t0, NULL, left, NULL);
    pthread_create(&t1, NULL, right, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
