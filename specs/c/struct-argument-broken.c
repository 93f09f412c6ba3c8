// expect: refuted
// Both threads get the first part.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

struct work {
    int from, to;
    int sum;
};

void *worker(void *arg) {
    struct work *w = arg;
    int sum = 0;
    for (int i = w->from; i < w->to; i++)
        sum += i;
    w->sum = sum;
    return NULL;
}

int main(void) {
    struct work parts[2] = {{.from = 0, .to = 3}, {.from = 3, .to = 6}};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &parts[0]);
    int total = 0;
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], NULL);
        total += parts[i].sum;
    }
    assert(total == 15);
    return 0;
}
