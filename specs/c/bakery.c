// expect: proved
// Lamport's bakery for two threads.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_int choosing[2], number[2];
int inside;

static void critical(int i) {
    int other = 1 - i;
    choosing[i] = 1;
    int seen = number[other];
    number[i] = seen + 1;
    choosing[i] = 0;
    while (choosing[other]) { }
    while (number[other] != 0 && (number[other] < number[i] || (number[other] == number[i] && other < i))) { }
    inside++;
    assert(inside == 1);
    inside--;
    number[i] = 0;
}

void *first(void *arg) {
    critical(0);
    return NULL;
}

void *second(void *arg) {
    critical(1);
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
