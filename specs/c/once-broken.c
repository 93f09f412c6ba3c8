// expect: refuted
// Both may come first.
#include <assert.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int value, calls;

static void setup(void) {
    calls++;
    value = 5;
}

void *worker(void *arg) {
    if (calls == 0)
        setup();
    assert(value == 5);
    assert(calls == 1);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, worker, NULL);
    pthread_create(&t1, NULL, worker, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
