// expect: proved
// A reader tries again while the number is odd or has changed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint number;
atomic_int a, b;

void *one(void *arg) {
    for (int k = 1; k <= 3; k++) {
        number++;
        a = k;
        b = k;
        number++;
    }
    return NULL;
}

void *two(void *arg) {
    unsigned before, after;
    int x, y;
    do {
        before = number;
        x = a;
        y = b;
        after = number;
    } while (before != after || before % 2 == 1);
    assert(x == y);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
