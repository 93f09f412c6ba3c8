// expect: proved
// Two producers and a consumer share a queue of two places.
#include <assert.h>
#include <pthread.h>

int queue[2], count, sum, taken;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;

void *producer(void *arg) {
    pthread_mutex_lock(&m);
    while (count == 2)
        pthread_cond_wait(&empty, &m);
    queue[count++] = (int)(long)arg;
    pthread_cond_signal(&full);
    pthread_mutex_unlock(&m);
    return NULL;
}

void *consumer(void *arg) {
    for (int k = 0; k < 3; k++) {
        pthread_mutex_lock(&m);
        while (count == 0)
            pthread_cond_wait(&full, &m);
        sum += queue[--count];
        taken++;
        pthread_cond_signal(&empty);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void) {
    pthread_t p[3], c;
    for (long k = 0; k < 3; k++)
        pthread_create(&p[k], NULL, producer, (void *)(k + 1));
    pthread_create(&c, NULL, consumer, NULL);
    for (int k = 0; k < 3; k++)
        pthread_join(p[k], NULL);
    pthread_join(c, NULL);
    assert(sum == 6 && taken == 3);
    return 0;
}
