// expect: proved
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
#define MAX 4
static int items[MAX];
static int count;
static void put(int v) {
    pthread_mutex_lock(&m);
    if (count < MAX) {
        items[count] = v;
        count = count + 1;
        pthread_cond_broadcast(&c);
    }
    pthread_mutex_unlock(&m);
}
static int get(void) {
    pthread_mutex_lock(&m);
    while (count == 0) pthread_cond_wait(&c, &m);
    assert(count > 0);
    count = count - 1;
    int v = items[count];
    pthread_mutex_unlock(&m);
    return v;
}
static void *producer(void *arg) {
    for (;;) put(7);
    return arg;
}
static void *consumer(void *arg) {
    for (;;) { int v = get(); assert(v == 7); }
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
