// expect: proved
// Two writers of a letter, one after the other.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

char *v;

void *thread1(void *arg) {
    v = malloc(sizeof(char));
    return 0;
}

void *thread2(void *arg) {
    v[0] = 'X';
    return 0;
}

void *thread3(void *arg) {
    v[0] = 'Y';
    return 0;
}

int main(void) {
    pthread_t t1, t2, t3;
    pthread_create(&t1, 0, thread1, 0);
    pthread_join(t1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_create(&t3, 0, thread3, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    if (v[0] != 'X' && v[0] != 'Y')
        reach_error();
    return 0;
}
