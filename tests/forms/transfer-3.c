// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
extern int __VERIFIER_nondet_int(void);
struct account { int balance; };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct account from = {100}, to;
static bool transfer(struct account *x, struct account *y, int n) {
    if (n <= 0) return false;
    pthread_mutex_lock(&m);
    if (x->balance < n) { pthread_mutex_unlock(&m); return false; }
    x->balance -= n;
    y->balance += n;
    pthread_mutex_unlock(&m);
    return true;
}
static void *there(void *arg) {
    for (;;) transfer(&from, &to, __VERIFIER_nondet_int());
    return arg;
}
static void *back(void *arg) {
    for (;;) transfer(&to, &from, __VERIFIER_nondet_int());
    return arg;
}
static void *audit(void *arg) {
    for (;;) {
        pthread_mutex_lock(&m);
        int sum = from.balance + to.balance;
        pthread_mutex_unlock(&m);
        assert(sum == 100);
    }
    return arg;
}
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, there, 0);
    pthread_create(&b, 0, back, 0);
    pthread_create(&c, 0, audit, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
