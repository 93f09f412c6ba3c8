// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int count;
static bool is_empty(const int *n) { return *n == 0; }
static void wait_for_work(int *n) {
    while (is_empty(n)) pthread_cond_wait(&c, &m);
}
static void *producer(void *arg) {
    for (int i = 0; i != 100; i++) {
        pthread_mutex_lock(&m);
        int old = count;
        count = old + 1;
        pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m);
    }
    return arg;
}
static void *consumer(void *arg) {
    for (;;) {
        pthread_mutex_lock(&m);
        wait_for_work(&count);
        bool some = count >= 1;
        assert(some);
        count -= 1;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
