// expect: proved
// Two locks taken in one order; each variable has its own.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
int x, y;

void *writer(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    x = x + 1;
    y = y + 1;
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
    return NULL;
}

void *reader(void *arg) {
    pthread_mutex_lock(&m);
    int seen = x;
    pthread_mutex_lock(&n);
    assert(y == seen);
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
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
