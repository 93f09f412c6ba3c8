// expect: refuted
// paper: Lazy+CBMC4.7 0.3 s (u=1 K=2); CBMC4.7 0.5; LR rejects (50_bigshot_s)
// One thread allocates and writes, the other one writes too: the first letter need not be the one that is asserted.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

char *v;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *allocate(void *arg) {
    pthread_mutex_lock(&m);
    v = malloc(2);
    v[0] = 'A';
    pthread_mutex_unlock(&m);
    return 0;
}

void *fill(void *arg) {
    pthread_mutex_lock(&m);
    if (v)
        v[0] = 'B';
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, allocate, 0);
    pthread_create(&t1, 0, fill, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(!v || v[0] == 'B');
    return 0;
}
