// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
static atomic_uint next_ticket, serving;
static int owner;
static void *first(void *arg) {
    while (true) {
        unsigned mine = atomic_fetch_add(&next_ticket, 1);
        unsigned now;
        do { now = atomic_load(&serving); } while (now != mine);
        owner = 1;
        assert(owner == 1);
        atomic_store(&serving, mine + 1);
    }
    return arg;
}
static void *second(void *arg) {
    while (true) {
        unsigned mine = atomic_fetch_add(&next_ticket, 1);
        unsigned now;
        do { now = atomic_load(&serving); } while (now != mine);
        owner = 2;
        assert(owner == 2);
        atomic_store(&serving, mine + 1);
    }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
