// An addition becomes a loop that tries until nobody was faster.
#include <pthread.h>
#include <stdatomic.h>
extern int get(void);
extern void put(int);

atomic_int n;
void *work(void *arg) {
    atomic_fetch_add(&n, 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    put(atomic_load(&n));
    pthread_join(t, 0);
    return 0;
}
