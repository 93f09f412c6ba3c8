// expect: refuted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static atomic_uint next_ticket, serving;
static int users;
static void lock(void) {
    unsigned mine = atomic_load(&next_ticket);
    atomic_store(&next_ticket, mine + 1);
    while (atomic_load(&serving) != mine) { }
}
static void unlock(void) {
    unsigned now = atomic_load(&serving);
    atomic_store(&serving, now + 1);
}
static void *worker(void *arg) {
    while (1) {
        lock();
        users = users + 1;
        assert(users == 1);
        users = users - 1;
        unlock();
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
