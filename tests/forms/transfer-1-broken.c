// expect: refuted
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t ma = PTHREAD_MUTEX_INITIALIZER, mb = PTHREAD_MUTEX_INITIALIZER;
static int a = 100, b;
static void both(void) { pthread_mutex_lock(&ma); pthread_mutex_lock(&mb); }
static void none(void) { pthread_mutex_unlock(&mb); pthread_mutex_unlock(&ma); }
static void pay(int n) {
    both();
    if (0 < n && n <= a) {
        a = a - n;
        none(); both();
        b = b + n;
    }
    none();
}
static int sum(void) {
    both();
    int s = a + b;
    none();
    return s;
}
static void *move(void *arg) {
    while (1) pay(__VERIFIER_nondet_int());
    return arg;
}
static void *audit(void *arg) {
    while (1) assert(sum() == 100);
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
