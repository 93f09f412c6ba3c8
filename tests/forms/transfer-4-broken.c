// expect: refuted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
extern int __VERIFIER_nondet_int(void);
static atomic_int held;
static int a = 100, b;
static void enter(void) { while (atomic_exchange(&held, 1)) { } }
static void leave(void) { atomic_store(&held, 0); }
static void take(int *p, int n) { *p = *p - n; }
static void add(int *p, int n) { *p = *p + n; }
static void *move(void *arg) {
    for (;;) {
        int n = __VERIFIER_nondet_int();
        enter();
        bool enough = n > 0 && n <= a;
        if (enough) {
            take(&a, n);
            leave(); enter();
            add(&b, n);
        }
        leave();
    }
    return arg;
}
static void *audit(void *arg) {
    for (;;) {
        enter();
        int first = a, second = b;
        leave();
        assert(first + second == 100);
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
