// expect: proved
// Threads return numbers, which are added by who joins them.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

void *twice(void *arg) {
    long n = (long) arg;
    return (void *) (2 * n);
}

int main(void) {
    pthread_t a, b;
    void *x, *y;
    pthread_create(&a, NULL, twice, (void *) 3);
    pthread_create(&b, NULL, twice, (void *) 4);
    pthread_join(a, &x);
    pthread_join(b, &y);
    assert((long) x + (long) y == 14);
    return 0;
}
