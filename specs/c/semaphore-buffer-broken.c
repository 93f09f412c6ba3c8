// expect: refuted
// The producer may be a place too far ahead.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define SIZE 2
#define ITEMS 4

sem_t places, items;
int buffer[SIZE];

void *producer(void *arg) {
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&places);
        buffer[i % SIZE] = i + 1;
        sem_post(&items);
    }
    return NULL;
}

void *consumer(void *arg) {
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&items);
        int got = buffer[i % SIZE];
        sem_post(&places);
        assert(got == i + 1);
    }
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    sem_init(&places, 0, SIZE + 1);
    sem_init(&items, 0, 0);
    pthread_create(&t0, NULL, producer, NULL);
    pthread_create(&t1, NULL, consumer, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
