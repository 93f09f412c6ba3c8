// expect: refuted
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
#define MAX 4
static int count;
static void *producer(void *arg) {
    for (;;) {
        pthread_mutex_lock(&m);
        if (count < MAX) count++;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    return arg;
}
static void *consumer(void *arg) {
    for (;;) {
        pthread_mutex_lock(&m);
        if (count == 0) pthread_cond_wait(&c, &m);
        assert(count > 0);
        count--;
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
