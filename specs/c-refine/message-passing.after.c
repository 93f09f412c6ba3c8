// expect: proved
#include <pthread.h>
#include <stdatomic.h>
extern int get(void);
extern void put(int);

int data;
atomic_int ready;
void *work(void *arg) {
    int x = 2 + 3;
    data = x;
    atomic_store(&ready, 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    if (atomic_load(&ready))
            put(data);
    pthread_join(t, 0);
    return 0;
}
