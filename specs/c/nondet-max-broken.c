// expect: refuted
// Each thread offers its own number; the greatest one is kept.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void abort(void);

int max;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void offer(int v) {
    if (v > max)
        max = v;
}

void *one(void *arg) {
    int mine = __VERIFIER_nondet_int();
    offer(mine);
    assert(max >= mine);
    return NULL;
}

void *two(void *arg) {
    int mine = __VERIFIER_nondet_int();
    offer(mine);
    pthread_mutex_lock(&lock);
    assert(max >= mine && max >= 0);
    pthread_mutex_unlock(&lock);
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
