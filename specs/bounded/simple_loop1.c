// expect: refuted
// paper: Lazy+CBMC4.7 0.2 s (u=2 K=1); CBMC4.7 0.3; ESBMC 624.7 (28_buggy_simple_loop1; the loop is ours)
// A counter is stepped in a loop until an unknown limit; somebody else finds it at the limit.
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);

int x, limit;

void *step(void *arg) {
    while (x < limit)
        x = x + 1;
    return 0;
}

int main(void) {
    pthread_t t;
    limit = __VERIFIER_nondet_int();
    if (limit < 1 || limit > 100000)
        return 0;
    pthread_create(&t, 0, step, 0);
    assert(x < limit);
    pthread_join(t, 0);
    return 0;
}
