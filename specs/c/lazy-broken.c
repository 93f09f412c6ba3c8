// expect: refuted
// Both may come before the third one.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

pthread_mutex_t mutex;
int data = 0;

void *thread1(void *arg) {
    pthread_mutex_lock(&mutex);
    data++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

void *thread2(void *arg) {
    pthread_mutex_lock(&mutex);
    data += 2;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

void *thread3(void *arg) {
    pthread_mutex_lock(&mutex);
    if (data >= 3) {
        ERROR: reach_error();
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t t0, t1, t2;
    pthread_mutex_init(&mutex, NULL);
    pthread_create(&t0, NULL, thread1, NULL);
    pthread_create(&t1, NULL, thread2, NULL);
    pthread_create(&t2, NULL, thread3, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
