// expect: proved
// Tickets are drawn by both threads before either goes in.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int choosing[2], number[2];
int inside;

void lock(int me, int other) {
    choosing[me] = 1;
    number[me] = number[other] + 1;
    choosing[me] = 0;
    while (choosing[other])
        ;
    while (number[other] != 0 &&
           (number[other] < number[me] || (number[other] == number[me] && other < me)))
        ;
}

void *worker(void *arg) {
    int me = (int)(long)arg;
    lock(me, 1 - me);
    inside++;
    assert(inside == 1);
    inside--;
    number[me] = 0;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)0L);
    pthread_create(&b, NULL, worker, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
