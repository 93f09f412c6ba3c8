// expect: proved
// Any number of readers. It is true, and needs that r counts who is inside.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

int w = 0, r = 0, x, y;

void *writer(void *arg) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(w == 0 && r == 0);
    w = 1;
    __VERIFIER_atomic_end();
    x = 3;
    __VERIFIER_atomic_begin();
    w = 0;
    __VERIFIER_atomic_end();
    return 0;
}

void *reader(void *arg) {
    int l;
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(w == 0);
    r = r + 1;
    __VERIFIER_atomic_end();
    l = x;
    assert(l == x);
    __VERIFIER_atomic_begin();
    r = r - 1;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    while (__VERIFIER_nondet_int())
        pthread_create(&t, 0, reader, 0);
    pthread_create(&t, 0, writer, 0);
    return 0;
}
