// expect: refuted
// The pointer may be null.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

char *v;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *thread1(void *arg) {
    pthread_mutex_lock(&m);
    v = malloc(sizeof(char) * 8);
    v[0] = 'B';
    pthread_mutex_unlock(&m);
    return 0;
}

void *thread2(void *arg) {
    pthread_mutex_lock(&m);
    v[1] = v[0];
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, thread1, NULL);
    pthread_create(&t1, NULL, thread2, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    __VERIFIER_assume(v != 0);
    if (v[0] != 'B')
        reach_error();
    return 0;
}
