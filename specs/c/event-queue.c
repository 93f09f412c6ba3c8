// expect: proved
// Events of a linked list are taken out under a lock until the list is empty.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct event {
    int kind;
    struct event *next;
};

struct event *first;
int handled;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void post(int kind) {
    struct event *e = malloc(sizeof(struct event));
    e->kind = kind;
    pthread_mutex_lock(&lock);
    e->next = first;
    first = e;
    pthread_mutex_unlock(&lock);
}

struct event *take(void) {
    pthread_mutex_lock(&lock);
    struct event *e = first;
    if (e)
        first = e->next;
    pthread_mutex_unlock(&lock);
    return e;
}

void *one(void *arg) {
    post(1);
    post(2);
    return NULL;
}

void *two(void *arg) {
    struct event *e = take();
    if (e != NULL) {
        assert(e->kind == 1 || e->kind == 2);
        free(e);
        handled++;
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(handled <= 1);
    assert(handled == 1 || (first != NULL && first->kind == 2));
    return 0;
}
