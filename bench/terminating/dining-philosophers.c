#include <pthread.h>

#define SEATS 3
#define MEALS 2

pthread_mutex_t fork_of[SEATS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int eaten[SEATS];

static void dine(int seat, int first, int second)
{
    while (eaten[seat] < MEALS) {
        pthread_mutex_lock(&fork_of[first]);
        pthread_mutex_lock(&fork_of[second]);
        eaten[seat]++;
        pthread_mutex_unlock(&fork_of[second]);
        pthread_mutex_unlock(&fork_of[first]);
    }
}

void *one(void *unused) { dine(0, 0, 1); return 0; }
void *two(void *unused) { dine(1, 1, 2); return 0; }
void *three(void *unused) { dine(2, 0, 2); return 0; }

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_create(&c, 0, three, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
