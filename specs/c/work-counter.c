// expect: proved
// Three workers draw numbers from a shared counter; each number is done once.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define JOBS 3

atomic_int next;
int done[JOBS];

void *worker(void *arg) {
    while (1) {
        int job = atomic_fetch_add(&next, 1);
        if (job >= JOBS)
            break;
        done[job]++;
        assert(done[job] == 1);
    }
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < JOBS; i++)
        assert(done[i] == 1);
    return 0;
}
