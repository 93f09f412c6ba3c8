// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static atomic_uint next_ticket, serving;
static int inside;
static void *worker(void *arg) {
    for (;;) {
        unsigned mine = atomic_fetch_add(&next_ticket, 1);
        while (atomic_load(&serving) != mine) { }
        inside++;
        assert(inside == 1);
        inside--;
        atomic_fetch_add(&serving, 1);
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
