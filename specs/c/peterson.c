// expect: proved
// Peterson's lock with C11 atomics.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_bool flag0, flag1;
atomic_int turn;
int inside;

void *first(void *arg) {
    flag0 = true;
    turn = 1;
    while (flag1 && turn == 1) { }
    inside++;
    assert(inside == 1);
    inside--;
    flag0 = false;
    return NULL;
}

void *second(void *arg) {
    flag1 = true;
    turn = 0;
    while (flag0 && turn == 0) { }
    inside++;
    assert(inside == 1);
    inside--;
    flag1 = false;
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, first, NULL);
    pthread_create(&t1, NULL, second, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
