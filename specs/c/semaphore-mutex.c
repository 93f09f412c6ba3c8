// expect: proved
// A semaphore with one unit is a lock.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t s;
int x;

void *worker(void *arg) {
    sem_wait(&s);
    int before = x;
    x = before + 2;
    assert(x == before + 2);
    sem_post(&s);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    sem_init(&s, 0, 1);
    pthread_create(&t0, NULL, worker, NULL);
    pthread_create(&t1, NULL, worker, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    assert(x == 4);
    return 0;
}
