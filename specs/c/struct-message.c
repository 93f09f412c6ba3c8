// expect: proved
// Messages are structures that are given and returned by value.
#include <assert.h>
#include <pthread.h>

struct message {
    int from, value;
};

struct message box;
int full;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct message make(int from, int value) {
    struct message m = {from, value};
    return m;
}

void deliver(struct message m) {
    pthread_mutex_lock(&lock);
    if (!full) {
        box = m;
        full = 1;
    }
    pthread_mutex_unlock(&lock);
}

void *one(void *arg) {
    deliver(make(1, 10));
    return NULL;
}

void *two(void *arg) {
    deliver(make(2, 20));
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(full && box.value == 10 * box.from);
    return 0;
}
