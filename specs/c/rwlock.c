// expect: proved
// Readers see both variables or none of the change.
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x, y;

void *writer(void *arg) {
    pthread_rwlock_wrlock(&lock);
    x = 3;
    y = 3;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

void *reader(void *arg) {
    pthread_rwlock_rdlock(&lock);
    int a = x;
    int b = y;
    pthread_rwlock_unlock(&lock);
    assert(a == b);
    return NULL;
}

int main(void) {
    pthread_t t0, t1, t2;
    pthread_create(&t0, NULL, writer, NULL);
    pthread_create(&t1, NULL, reader, NULL);
    pthread_create(&t2, NULL, reader, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
