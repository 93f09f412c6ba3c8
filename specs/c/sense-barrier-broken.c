// expect: refuted
// Nobody waits for the other one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_int arrived;
atomic_bool sense;
int a, b;

static void await_all(bool *mine) {
    *mine = !*mine;
    if (atomic_fetch_add(&arrived, 1) == 1) {
        atomic_store(&arrived, 0);
        atomic_store(&sense, *mine);
    } else {
        if (atomic_load(&sense) != *mine) { }
    }
}

void *left(void *arg) {
    bool mine = false;
    for (int i = 0; i < 2; i++) {
        a = a + 1;
        await_all(&mine);
        assert(b == i + 1);
        await_all(&mine);
    }
    return NULL;
}

void *right(void *arg) {
    bool mine = false;
    for (int i = 0; i < 2; i++) {
        b = b + 1;
        await_all(&mine);
        assert(a == i + 1);
        await_all(&mine);
    }
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, left, NULL);
    pthread_create(&t1, NULL, right, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
