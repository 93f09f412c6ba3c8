// expect: refuted
// Two threads add to each other five times; the sums stay below the numbers of Fibonacci.
#include <assert.h>
#include <pthread.h>

int i = 1, j = 1;

void *one(void *arg) {
    for (int k = 0; k < 5; k++)
        i += j;
    return NULL;
}

void *two(void *arg) {
    for (int k = 0; k < 5; k++)
        j += i;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    assert(i < 144 && j < 144);
    return 0;
}
