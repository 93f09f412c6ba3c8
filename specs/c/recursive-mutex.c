// expect: proved
// A recursive lock is taken twice and protects until it is released twice.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m;
int x;

static void bump(void) {
    pthread_mutex_lock(&m);
    x = x + 1;
    pthread_mutex_unlock(&m);
}

void *worker(void *arg) {
    pthread_mutex_lock(&m);
    int before = x;
    bump();
    assert(x == before + 1);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attributes);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(x == 2);
    return 0;
}
