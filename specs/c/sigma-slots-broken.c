// expect: refuted
// Each thread writes its own slot of an array; the sum is that of all.
#include <assert.h>
#include <pthread.h>

#define N 5

int slots[N], next;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    int mine = next++;
    slots[mine] = 1;
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int sum = 0;
    for (int k = 0; k < N; k++)
        pthread_create(&t[k], NULL, worker, NULL);
    for (int k = 0; k < N; k++)
        pthread_join(t[k], NULL);
    for (int k = 0; k < N; k++)
        sum += slots[k];
    assert(sum == N);
    return 0;
}
