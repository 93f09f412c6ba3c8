// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static int data;
static void *sender(void *arg) {
    int n = 0;
    for (;;) {
        while (atomic_load(&flag)) { }
        data = n;
        atomic_store(&flag, 1);
        n = n == 1000 ? 0 : n + 1;
    }
    return arg;
}
static void *receiver(void *arg) {
    int want = 0;
    for (;;) {
        while (!atomic_load(&flag)) { }
        assert(data == want);
        want = want == 1000 ? 0 : want + 1;
        atomic_store(&flag, 0);
    }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, sender, 0);
    pthread_create(&b, 0, receiver, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
