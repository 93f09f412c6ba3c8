// expect: proved
// Any number of pushers and poppers; the height stays in the array.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void abort(void);

#define SIZE 3

int cells[SIZE], height;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *pusher(void *arg) {
    int v = __VERIFIER_nondet_int();
    pthread_mutex_lock(&lock);
    if (height < SIZE)
        cells[height++] = v;
    pthread_mutex_unlock(&lock);
    return NULL;
}

void *popper(void *arg) {
    pthread_mutex_lock(&lock);
    if (height > 0) {
        int v = cells[--height];
        (void)v;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t;
    while (__VERIFIER_nondet_bool())
        if (__VERIFIER_nondet_bool())
            pthread_create(&t, NULL, pusher, NULL);
        else
            pthread_create(&t, NULL, popper, NULL);
    return 0;
}
