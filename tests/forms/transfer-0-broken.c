// expect: refuted
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a = 100, b;
static void *move(void *arg) {
    for (;;) {
        int n = __VERIFIER_nondet_int();
        pthread_mutex_lock(&m);
        if (n > 0 && n <= a) {
            a -= n;
            pthread_mutex_unlock(&m); pthread_mutex_lock(&m);
            b += n;
        }
        pthread_mutex_unlock(&m);
    }
    return arg;
}
static void *audit(void *arg) {
    for (;;) {
        pthread_mutex_lock(&m);
        assert(a + b == 100);
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, move, 0);
    pthread_create(&b, 0, audit, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
