// expect: proved
// Threads and locks of C11.
#include <assert.h>
#include <threads.h>

mtx_t lock;
int x;

int worker(void *arg) {
    int n = *(int *) arg;
    mtx_lock(&lock);
    x += n;
    mtx_unlock(&lock);
    return n;
}

int main(void) {
    thrd_t a, b;
    int one = 1, two = 2, r, s;
    mtx_init(&lock, mtx_plain);
    thrd_create(&a, worker, &one);
    thrd_create(&b, worker, &two);
    thrd_join(a, &r);
    thrd_join(b, &s);
    assert(x == 3 && r == 1 && s == 2);
    return 0;
}
