// expect: refuted
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int jobs, done;
static void *producer(void *arg) {
    int n = 0;
    while (n < 100) {
        pthread_mutex_lock(&m);
        jobs += 1;
        n += 1;
        pthread_mutex_unlock(&m);
        pthread_cond_signal(&c);
    }
    return arg;
}
static void *consumer(void *arg) {
    while (1) {
        pthread_mutex_lock(&m);
        if (jobs == 0) { pthread_cond_wait(&c, &m); }
        int left = jobs - 1;
        jobs = left;
        assert(left >= 0);
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
