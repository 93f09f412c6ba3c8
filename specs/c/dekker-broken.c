// expect: refuted
// The second thread does not wait when it is its turn.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_bool want0, want1;
atomic_int turn;
int inside;

void *first(void *arg) {
    while (1) {
        want0 = true;
        while (want1) {
            if (turn != 0) {
                want0 = false;
                while (turn != 0) { }
                want0 = true;
            }
        }
        inside = 1;
        assert(inside == 1);
        turn = 1;
        want0 = false;
    }
    return NULL;
}

void *second(void *arg) {
    while (1) {
        want1 = true;
        while (want0 && turn == 0) {
            if (turn != 1) {
                want1 = false;
                while (turn != 1) { }
                want1 = true;
            }
        }
        inside = 0;
        assert(inside == 0);
        turn = 0;
        want1 = false;
    }
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
