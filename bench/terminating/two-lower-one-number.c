#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x;

void *lowers(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (x <= 0) {
            pthread_mutex_unlock(&lock);
            return 0;
        }
        x--;
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    pthread_t first, second;
    x = __VERIFIER_nondet_int();
    pthread_create(&first, 0, lowers, 0);
    pthread_create(&second, 0, lowers, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
