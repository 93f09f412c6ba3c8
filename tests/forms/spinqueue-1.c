// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#define CAP 8
static atomic_int busy;
static int count, total;
static void lock(void) { while (atomic_exchange(&busy, 1) == 1) { } }
static void unlock(void) { atomic_store(&busy, 0); }
static bool put(void) {
    lock();
    if (count == CAP) { unlock(); return false; }
    count = count + 1;
    total = total + 1;
    unlock();
    return true;
}
static bool get(void) {
    bool some = false;
    lock();
    assert(count == total);
    if (count != 0) { count = count - 1; total = total - 1; some = true; }
    unlock();
    return some;
}
static void *producer(void *arg) { for (;;) { if (!put()) continue; } return arg; }
static void *consumer(void *arg) { for (;;) { if (!get()) continue; } return arg; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
