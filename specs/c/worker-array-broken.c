// expect: refuted
// Workers take the next piece of work by an atomic counter; each piece is done once.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define WORK 6

atomic_int next;
int done[WORK];

void *worker(void *arg) {
    for (;;) {
        int mine = next;
        next = mine + 1;
        if (mine >= WORK)
            return NULL;
        done[mine]++;
    }
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int k = 0; k < WORK; k++)
        assert(done[k] == 1);
    return 0;
}
