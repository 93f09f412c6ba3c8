// expect: refuted
// They are read in the order in which they are written.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

static int a = 0, b = 0;

void *set(void *arg) {
    a = 1;
    b = -1;
    return NULL;
}

void *check(void *arg) {
    int first = a;
    int second = b;
    if (second == -1 && first != 1)
        reach_error();
    return NULL;
}

int main(void) {
    pthread_t setters[2], checker;
    for (int i = 0; i < 2; i++)
        pthread_create(&setters[i], NULL, &set, NULL);
    pthread_create(&checker, NULL, &check, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(setters[i], NULL);
    pthread_join(checker, NULL);
    return 0;
}
