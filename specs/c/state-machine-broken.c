// expect: refuted
// A connection goes through its states; only the closer closes it.
#include <assert.h>
#include <pthread.h>

enum state { CLOSED, OPENING, OPEN, CLOSING } state = CLOSED;
int users;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *one(void *arg) {
    pthread_mutex_lock(&lock);
    if (state == CLOSED)
        state = OPENING;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    if (state == OPENING) {
        state = OPEN;
    }
    pthread_mutex_unlock(&lock);
    users = 1;
    return NULL;
}

void *two(void *arg) {
    for (int k = 0; k < 3; k++) {
        pthread_mutex_lock(&lock);
        switch (state) {
        case OPEN:
            assert(users == 1);
            state = CLOSING;
            break;
        case CLOSING:
            users = 0;
            state = CLOSED;
            break;
        default:
            assert(users == 0);
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
