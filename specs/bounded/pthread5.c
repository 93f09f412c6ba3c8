// expect: refuted
// paper: Lazy+CBMC4.7 0.3 s (u=2 K=2); CBMC4.7 0.8; LR ie; Threader T/O (32_pthread5; the threads are ours)
// Five variables, two locks: a sum is kept under one lock and its parts under the other one.
#include <assert.h>
#include <pthread.h>

int a, b, c, sum, ready;
pthread_mutex_t parts = PTHREAD_MUTEX_INITIALIZER, total = PTHREAD_MUTEX_INITIALIZER;

void *one(void *arg) {
    pthread_mutex_lock(&parts);
    a = 1;
    b = 2;
    pthread_mutex_unlock(&parts);
    pthread_mutex_lock(&total);
    sum = sum + 3;
    ready = ready + 1;
    pthread_mutex_unlock(&total);
    return 0;
}

void *two(void *arg) {
    pthread_mutex_lock(&parts);
    c = 3;
    pthread_mutex_unlock(&parts);
    pthread_mutex_lock(&total);
    sum = sum + 3;
    ready = ready + 1;
    pthread_mutex_unlock(&total);
    return 0;
}

void *look(void *arg) {
    pthread_mutex_lock(&parts);
    pthread_mutex_lock(&total);
    assert(sum == a + b + c);
    pthread_mutex_unlock(&total);
    pthread_mutex_unlock(&parts);
    return 0;
}

int main(void) {
    pthread_t t1, t2, t3;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, two, 0);
    pthread_create(&t3, 0, look, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    return 0;
}
