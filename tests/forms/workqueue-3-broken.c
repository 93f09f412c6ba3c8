// expect: refuted
#include <assert.h>
#include <pthread.h>
struct queue { pthread_mutex_t m; pthread_cond_t c; unsigned head, tail; int slots[4]; };
static struct queue q = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER };
static void put(struct queue *p, int v) {
    pthread_mutex_lock(&p->m);
    if (p->tail - p->head < 4) {
        p->slots[p->tail % 4] = v;
        p->tail++;
        pthread_cond_signal(&p->c);
    }
    pthread_mutex_unlock(&p->m);
}
static void get(struct queue *p, int *v) {
    pthread_mutex_lock(&p->m);
    if (p->tail == p->head) pthread_cond_wait(&p->c, &p->m);
    assert(p->tail != p->head);
    *v = p->slots[p->head % 4];
    p->head++;
    pthread_mutex_unlock(&p->m);
}
static void *producer(void *arg) {
    for (int i = 0; i < 1000; i++) put(&q, i);
    return arg;
}
static void *consumer(void *arg) {
    int v;
    for (;;) get(&q, &v);
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
