// expect: refuted
#include <pthread.h>
#include <stdatomic.h>
extern int get(void);
extern void put(int);

atomic_int n;
void *work(void *arg) {
    int o = atomic_load(&n);
    atomic_store(&n, o + 2);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    put(atomic_load(&n));
    pthread_join(t, 0);
    return 0;
}
