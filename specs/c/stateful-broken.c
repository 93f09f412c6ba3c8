// expect: refuted
// They have just these values at the end.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

pthread_mutex_t ma, mb;
int data1, data2;

void *thread1(void *arg) {
    pthread_mutex_lock(&ma);
    data1++;
    pthread_mutex_unlock(&ma);
    pthread_mutex_lock(&mb);
    data2++;
    pthread_mutex_unlock(&mb);
    return NULL;
}

void *thread2(void *arg) {
    pthread_mutex_lock(&ma);
    data1 += 5;
    pthread_mutex_unlock(&ma);
    pthread_mutex_lock(&mb);
    data2 -= 6;
    pthread_mutex_unlock(&mb);
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_mutex_init(&ma, 0);
    pthread_mutex_init(&mb, 0);
    data1 = 10;
    data2 = 10;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    if (data1 == 16 && data2 == 5)
        reach_error();
    return 0;
}
