// expect: proved
// Three threads work in stages; each one reads what the others wrote in the one before.
#include <assert.h>
#include <pthread.h>

#define N 3

pthread_barrier_t barrier;
int stage[N];

void *worker(void *arg) {
    int me = (int)(long)arg;
    for (int s = 1; s <= 2; s++) {
        stage[me] = s;
        pthread_barrier_wait(&barrier);
        for (int k = 0; k < N; k++)
            assert(stage[k] == s);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    pthread_barrier_init(&barrier, NULL, N);
    for (long k = 0; k < N; k++)
        pthread_create(&t[k], NULL, worker, (void *)k);
    for (int k = 0; k < N; k++)
        pthread_join(t[k], NULL);
    return 0;
}
