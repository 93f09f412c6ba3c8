// expect: refuted
// Readers count themselves in one step; the writer waits until nobody reads.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

int w, r, x, y;

void *writer(void *arg) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(w == 0);
    w = 1;
    __VERIFIER_atomic_end();
    x = 3;
    w = 0;
    return NULL;
}

void *reader(void *arg) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(w == 0);
    r = r + 1;
    __VERIFIER_atomic_end();
    int l = x;
    y = l;
    assert(y == x);
    __VERIFIER_atomic_begin();
    r = r - 1;
    __VERIFIER_atomic_end();
    return NULL;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_create(&c, NULL, reader, NULL);
    return 0;
}
