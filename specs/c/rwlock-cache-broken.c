// expect: refuted
// Readers look up a cache under the shared lock; a writer replaces both parts.
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int key = 1, value = 10;

void *one(void *arg) {
    for (int k = 2; k < 5; k++) {
        pthread_rwlock_rdlock(&lock);
        key = k;
        value = 10 * k;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

void *two(void *arg) {
    for (int k = 0; k < 3; k++) {
        pthread_rwlock_rdlock(&lock);
        assert(value == 10 * key);
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
