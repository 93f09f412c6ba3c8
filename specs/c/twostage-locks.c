// expect: proved
// What the first stage wrote under one lock is passed on under another one.
#include <assert.h>
#include <pthread.h>

int data1, data2;
pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;

void *one(void *arg) {
    pthread_mutex_lock(&m1);
    data1 = 1;
    pthread_mutex_unlock(&m1);
    pthread_mutex_lock(&m2);
    data2 = data1 + 1;
    pthread_mutex_unlock(&m2);
    return NULL;
}

void *two(void *arg) {
    int t1 = -1, t2 = -1;
    pthread_mutex_lock(&m2);
    t2 = data2;
    pthread_mutex_unlock(&m2);
    if (t2 == 0)
        return NULL;
    pthread_mutex_lock(&m1);
    t1 = data1;
    pthread_mutex_unlock(&m1);
    assert(t2 == t1 + 1);
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
