// expect: refuted
// The difference is promoted to int and negative after the turn.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

unsigned char produced = 250, consumed = 250;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *producer(void *arg) {
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&m);
        if (produced - consumed < 4)
            produced++;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

void *consumer(void *arg) {
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&m);
        if (produced != consumed)
            consumed++;
        assert((unsigned char) (produced - consumed) <= 4);
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
