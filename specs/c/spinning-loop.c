// expect: proved
// Any number of threads: a loop that counts down what one thread owns.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

int x = 1;
int m = 0;

void *thr(void *arg) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(m == 0);
    m = 1;
    __VERIFIER_atomic_end();
    x = 0;
    x = 1;
    x = 1;
    assert(x >= 1);
    __VERIFIER_atomic_begin();
    m = 0;
    __VERIFIER_atomic_end();
    return NULL;
}

int main(void) {
    pthread_t t;
    while (1)
        pthread_create(&t, 0, thr, 0);
}
