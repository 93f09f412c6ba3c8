// expect: proved
// Each thread gets the address of its own number.
#include <assert.h>
#include <pthread.h>

#define N 3

int ids[N], sum;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    int me = *(int *)arg;
    pthread_mutex_lock(&lock);
    sum += me;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int k;
    for (k = 0; k < N; k++) {
        ids[k] = k + 1;
        pthread_create(&t[k], NULL, worker, &ids[k]);
    }
    for (k = 0; k < N; k++)
        pthread_join(t[k], NULL);
    assert(sum == 6);
    return 0;
}
