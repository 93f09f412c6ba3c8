// expect: refuted
// One producer, one consumer, and a ring, for ever.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 3

struct ring {
    int cells[SIZE];
    atomic_int filled;
} q;

void *one(void *arg) {
    int at = 0;
    for (int v = 0;; v = 1 - v) {
        while (q.filled > SIZE)
            ;
        q.cells[at] = v;
        at = at + 1 == SIZE ? 0 : at + 1;
        q.filled++;
    }
}

void *two(void *arg) {
    int at = 0;
    for (int v = 0;; v = 1 - v) {
        while (q.filled == 0)
            ;
        assert(q.cells[at] == v);
        at = at + 1 == SIZE ? 0 : at + 1;
        q.filled--;
    }
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
