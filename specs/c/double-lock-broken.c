// expect: refuted
// It is read behind another lock.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

int count = 0;
pthread_mutex_t mutexa, mutexb;

void my_thread1(void) {
    pthread_mutex_lock(&mutexa);
    count++;
    count--;
    pthread_mutex_unlock(&mutexa);
}

void *thread1(void *arg) {
    my_thread1();
    return NULL;
}

void *thread2(void *arg) {
    pthread_mutex_lock(&mutexb);
    assert(count >= 0 && count <= 0);
    pthread_mutex_unlock(&mutexb);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread1, NULL);
    pthread_create(&t, NULL, thread2, NULL);
    pthread_create(&t, NULL, thread1, NULL);
    return 0;
}
