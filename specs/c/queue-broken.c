// expect: refuted
// The reader takes from an empty queue.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

#define SIZE 3

typedef struct {
    int element[SIZE];
    int head, tail, amount;
} queue_t;

queue_t queue;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int enqueue(queue_t *q, int x) {
    if (q->amount == SIZE)
        return -1;
    q->element[q->tail] = x;
    q->amount++;
    if (q->tail == SIZE - 1)
        q->tail = 0;
    else
        q->tail++;
    return 0;
}

int dequeue(queue_t *q) {
    int x = q->element[q->head];
    q->amount--;
    if (q->head == SIZE - 1)
        q->head = 0;
    else
        q->head++;
    return x;
}

void *writer(void *arg) {
    queue_t *q = arg;
    int next = 0;
    while (next < 5) {
        pthread_mutex_lock(&m);
        if (enqueue(q, next) == 0)
            next++;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

void *reader(void *arg) {
    queue_t *q = arg;
    int expected = 0;
    while (expected < 5) {
        pthread_mutex_lock(&m);
        if (q->amount >= 0) {
            if (dequeue(q) != expected)
                reach_error();
            expected++;
        }
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, writer, &queue);
    pthread_create(&t1, NULL, reader, &queue);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
