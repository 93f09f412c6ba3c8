// expect: refuted
// Withdrawing does not take the lock.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_flag lock = ATOMIC_FLAG_INIT;
int balance = 20;

static void enter(void) {
    while (atomic_flag_test_and_set(&lock)) { }
}

static void leave(void) {
    atomic_flag_clear(&lock);
}

void *deposit(void *arg) {
    enter();
    balance += 5;
    leave();
    return NULL;
}

void *withdraw(void *arg) {
    if (balance >= 12)
        balance -= 12;
    leave();
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, deposit, NULL);
    pthread_create(&t1, NULL, withdraw, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    assert(balance == 13);
    return 0;
}
