// expect: proved
// Two rounds of a barrier: nobody is a round ahead.
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int left_round, right_round;

void *left(void *arg) {
    for (int i = 0; i < 2; i++) {
        left_round = left_round + 1;
        pthread_barrier_wait(&barrier);
        assert(right_round >= left_round);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

void *right(void *arg) {
    for (int i = 0; i < 2; i++) {
        right_round = right_round + 1;
        pthread_barrier_wait(&barrier);
        assert(left_round >= right_round);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t0, NULL, left, NULL);
    pthread_create(&t1, NULL, right, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
