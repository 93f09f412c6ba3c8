// expect: proved
// A queue of a fixed size under a lock; the consumer gets what was put in, in order.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#define SIZE 4

int items[SIZE], head, tail, count;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool put(int v) {
    bool done = false;
    pthread_mutex_lock(&lock);
    if (count < SIZE) {
        items[tail] = v;
        tail = (tail + 1) % SIZE;
        count++;
        done = true;
    }
    pthread_mutex_unlock(&lock);
    return done;
}

bool get(int *v) {
    bool done = false;
    pthread_mutex_lock(&lock);
    if (count > 0) {
        *v = items[head];
        head = (head + 1) % SIZE;
        count--;
        done = true;
    }
    pthread_mutex_unlock(&lock);
    return done;
}

void *one(void *arg) {
    int next = 1;
    while (next <= 6)
        if (put(next))
            next++;
    return NULL;
}

void *two(void *arg) {
    int last = 0, v;
    while (last < 6)
        if (get(&v)) {
            assert(v == last + 1);
            last = v;
        }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(count == 0);
    return 0;
}
