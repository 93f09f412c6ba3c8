// expect: refuted
#include <pthread.h>
#include <stdatomic.h>
extern int get(void);
extern void put(int);

pthread_mutex_t m;
int n;
void *work(void *arg) {
    pthread_mutex_lock(&m);
    n = n + 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    n = n + 1;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_mutex_lock(&m);
    put(n);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
