// expect: proved
// A token goes round between three threads.
#include <assert.h>
#include <pthread.h>

#define N 3

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
int token, rounds;

void *worker(void *arg) {
    int me = (int)(long)arg;
    for (int k = 0; k < 2; k++) {
        pthread_mutex_lock(&lock);
        while (token != me)
            pthread_cond_wait(&moved, &lock);
        assert(rounds % N == me);
        rounds++;
        token = (token + 1) % N;
        pthread_cond_broadcast(&moved);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (long k = 0; k < N; k++)
        pthread_create(&t[k], NULL, worker, (void *)k);
    for (int k = 0; k < N; k++)
        pthread_join(t[k], NULL);
    assert(rounds == 2 * N);
    return 0;
}
