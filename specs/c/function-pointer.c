// expect: proved
// The function that a thread runs behind the lock is a parameter.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x = 0;

void add(int *p) { *p = *p + 1; }
void take(int *p) { *p = *p - 1; }

struct job {
    void (*run)(int *);
    int *where;
};

struct job jobs[2] = {{add, &x}, {take, &x}};

void *worker(void *arg) {
    struct job *j = (struct job *) arg;
    pthread_mutex_lock(&m);
    j->run(j->where);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &jobs[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    if (x != 0)
        reach_error();
    return 0;
}
