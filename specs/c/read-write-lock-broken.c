// expect: refuted
// The writer does not wait for readers.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

int w = 0, r = 0, x, y;

void writer_lock(void) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(w == 0);
    w = 1;
    __VERIFIER_atomic_end();
}

void reader_lock(void) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(w == 0);
    r = r + 1;
    __VERIFIER_atomic_end();
}

void *writer(void *arg) {
    writer_lock();
    x = 3;
    __VERIFIER_atomic_begin();
    w = 0;
    __VERIFIER_atomic_end();
    return 0;
}

void *reader(void *arg) {
    int l;
    reader_lock();
    l = x;
    y = l;
    assert(y == x);
    __VERIFIER_atomic_begin();
    r = r - 1;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t t0, t1, t2, t3;
    pthread_create(&t0, NULL, writer, NULL);
    pthread_create(&t1, NULL, reader, NULL);
    pthread_create(&t2, NULL, writer, NULL);
    pthread_create(&t3, NULL, reader, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    return 0;
}
