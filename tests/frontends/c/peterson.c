#include <pthread.h>
#include <assert.h>
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
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
