// expect: proved
// Each thread waits for its number; the third one sees what the others did.
#include <assert.h>
#include <pthread.h>

int turn = 0, data = 0;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    int me = (int)(long)arg;
    pthread_mutex_lock(&lock);
    if (turn == me) {
        data = data * 2 + 1;
        turn++;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t[3];
    for (int k = 0; k < 3; k++)
        pthread_create(&t[k], NULL, worker, (void *)(long)k);
    for (int k = 0; k < 3; k++)
        pthread_join(t[k], NULL);
    assert(turn >= 1);
    assert(data == (1 << turn) - 1);
    return 0;
}
