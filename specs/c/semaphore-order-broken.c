// expect: refuted
// The second thread goes on only after the first one has posted.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t ready, done;
int data;

void *one(void *arg) {
    data = 41;
    sem_post(&ready);
    sem_wait(&done);
    assert(data == 42);
    return NULL;
}

void *two(void *arg) {
    sem_wait(&ready);
    assert(data == 41);
    data++;
    sem_post(&done);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    sem_init(&ready, 0, 1);
    sem_init(&done, 0, 0);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
