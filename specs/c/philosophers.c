// expect: proved
// Three philosophers who take the fork with the smaller number first.
#include <assert.h>
#include <pthread.h>

#define N 3

pthread_mutex_t fork_[N];
int eating[N];

static void eat(int i) {
    int left = i, right = (i + 1) % N;
    int low = left < right ? left : right, high = left < right ? right : left;
    pthread_mutex_lock(&fork_[low]);
    pthread_mutex_lock(&fork_[high]);
    eating[i] = 1;
    assert(!eating[(i + 1) % N] && !eating[(i + 2) % N]);
    eating[i] = 0;
    pthread_mutex_unlock(&fork_[high]);
    pthread_mutex_unlock(&fork_[low]);
}

void *p0(void *arg) { eat(0); return NULL; }
void *p1(void *arg) { eat(1); return NULL; }
void *p2(void *arg) { eat(2); return NULL; }

int main(void) {
    pthread_t t0, t1, t2;
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_[i], NULL);
    pthread_create(&t0, NULL, p0, NULL);
    pthread_create(&t1, NULL, p1, NULL);
    pthread_create(&t2, NULL, p2, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
