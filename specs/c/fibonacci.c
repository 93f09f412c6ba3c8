// expect: proved
// Two threads that add each other's number: the sum of five rounds.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

int i = 1, j = 1;

#define NUM 4

void *t1(void *arg) {
    for (int k = 0; k < NUM; k++) {
        __VERIFIER_atomic_begin();
        i += j;
        __VERIFIER_atomic_end();
    }
    pthread_exit(NULL);
}

void *t2(void *arg) {
    for (int k = 0; k < NUM; k++) {
        __VERIFIER_atomic_begin();
        j += i;
        __VERIFIER_atomic_end();
    }
    pthread_exit(NULL);
}

int main(int argc, char **argv) {
    pthread_t id1, id2;
    pthread_create(&id1, NULL, t1, NULL);
    pthread_create(&id2, NULL, t2, NULL);
    __VERIFIER_atomic_begin();
    int large = i > 55 || j > 55;
    __VERIFIER_atomic_end();
    if (large)
        reach_error();
    return 0;
}
