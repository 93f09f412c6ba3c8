// expect: refuted
// Transfers between accounts under ordered locks keep the sum.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void abort(void);
void assume_abort_if_not(int cond) {
    if (!cond)
        abort();
}

struct account {
    int money;
    pthread_mutex_t lock;
} accounts[2] = {{50, PTHREAD_MUTEX_INITIALIZER}, {50, PTHREAD_MUTEX_INITIALIZER}};

void transfer(int from, int to, int amount) {
    int low = from < to ? from : to, high = from < to ? to : from;
    pthread_mutex_lock(&accounts[from].lock);
    if (accounts[from].money >= amount) {
        accounts[from].money -= amount;
        accounts[to].money += amount;
    }
    pthread_mutex_unlock(&accounts[from].lock);
}

void *one(void *arg) {
    int amount = __VERIFIER_nondet_int();
    assume_abort_if_not(amount >= 0 && amount <= 1000);
    transfer(0, 1, amount);
    return NULL;
}

void *two(void *arg) {
    int amount = __VERIFIER_nondet_int();
    assume_abort_if_not(amount >= 0 && amount <= 1000);
    transfer(1, 0, amount);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(accounts[0].money + accounts[1].money == 100 && accounts[0].money >= 0);
    return 0;
}
