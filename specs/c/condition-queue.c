// expect: proved
// A queue of one element with a condition variable for each end.
#include <assert.h>
#include <pthread.h>

#define ITEMS 3

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t empty = PTHREAD_COND_INITIALIZER, full = PTHREAD_COND_INITIALIZER;
int cell, used;

void *producer(void *arg) {
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&m);
        while (used)
            pthread_cond_wait(&empty, &m);
        cell = i;
        used = 1;
        pthread_cond_signal(&full);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

void *consumer(void *arg) {
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&m);
        while (!used)
            pthread_cond_wait(&full, &m);
        assert(cell == i);
        used = 0;
        pthread_cond_signal(&empty);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, producer, NULL);
    pthread_create(&t1, NULL, consumer, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
