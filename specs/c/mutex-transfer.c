// expect: proved
// Two accounts, two transfers under one lock: no money is lost.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int a = 100, b = 50;
extern int __VERIFIER_nondet_int(void);

static void transfer(int amount) {
    pthread_mutex_lock(&m);
    a = a - amount;
    b = b + amount;
    pthread_mutex_unlock(&m);
}

void *one(void *arg) {
    transfer(10);
    return NULL;
}

void *two(void *arg) {
    transfer(-25);
    return NULL;
}

void *audit(void *arg) {
    int sum;
    pthread_mutex_lock(&m);
    sum = a + b;
    pthread_mutex_unlock(&m);
    assert(sum == 150);
    return NULL;
}

int main(void) {
    pthread_t t0, t1, t2;
    pthread_create(&t0, NULL, one, NULL);
    pthread_create(&t1, NULL, two, NULL);
    pthread_create(&t2, NULL, audit, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
