// expect: proved
// A thread that tries the lock works only if it gets it.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *patient(void *arg) {
    pthread_mutex_lock(&m);
    x = 1;
    assert(x == 1);
    pthread_mutex_unlock(&m);
    return NULL;
}

void *hasty(void *arg) {
    if (pthread_mutex_trylock(&m) == 0) {
        x = 2;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, patient, NULL);
    pthread_create(&t1, NULL, hasty, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
