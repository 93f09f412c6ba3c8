// expect: refuted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
static atomic_uint tickets, turn;
static int inside;
static bool my_turn(atomic_uint *now, unsigned mine) { return atomic_load(now) == mine; }
static void *worker(void *arg) {
    atomic_uint *next = &tickets;
    for (;;) {
        const unsigned mine = atomic_load(next);
        atomic_store(next, mine + 1);
        while (!my_turn(&turn, mine)) { }
        int before = inside;
        inside = before + 1;
        int now = inside;
        assert(now == 1);
        inside = 0;
        unsigned after = atomic_load(&turn) + 1;
        atomic_store(&turn, after);
    }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
