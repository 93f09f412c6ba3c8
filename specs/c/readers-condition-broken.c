// expect: refuted
// The writer does not wait for readers.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int readers, writing, value;

void *reader(void *arg) {
    pthread_mutex_lock(&m);
    while (writing)
        pthread_cond_wait(&changed, &m);
    readers++;
    pthread_mutex_unlock(&m);
    int first = value;
    int second = value;
    assert(first == second);
    pthread_mutex_lock(&m);
    readers--;
    if (readers == 0)
        pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    return NULL;
}

void *writer(void *arg) {
    pthread_mutex_lock(&m);
    while (writing)
        pthread_cond_wait(&changed, &m);
    writing = 1;
    pthread_mutex_unlock(&m);
    value = value + 1;
    pthread_mutex_lock(&m);
    writing = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t0, t1, t2;
    pthread_create(&t0, NULL, reader, NULL);
    pthread_create(&t1, NULL, reader, NULL);
    pthread_create(&t2, NULL, writer, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
