// expect: refuted
// It is never busy.
#include <assert.h>
#include <pthread.h>

enum state { IDLE, BUSY, DONE };

enum state state = IDLE;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int starts;

void *worker(void *arg) {
    pthread_mutex_lock(&m);
    switch (state) {
    case IDLE:
        starts++;
        break;
    case BUSY:
        state = DONE;
        break;
    case DONE:
        break;
    default:
        assert(0);
    }
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t0, t1, t2;
    pthread_create(&t0, NULL, worker, NULL);
    pthread_create(&t1, NULL, worker, NULL);
    pthread_create(&t2, NULL, worker, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(state == DONE && starts == 1);
    return 0;
}
