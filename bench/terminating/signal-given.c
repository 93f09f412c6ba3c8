#include <pthread.h>

int items;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;

void *fill(void *unused)
{
    pthread_mutex_lock(&lock);
    while (items > 0)
        pthread_cond_wait(&empty, &lock);
    items++;
    pthread_cond_signal(&full);
    pthread_mutex_unlock(&lock);
    return 0;
}

void *drain(void *unused)
{
    pthread_mutex_lock(&lock);
    while (items == 0)
        pthread_cond_wait(&full, &lock);
    items--;
    pthread_cond_signal(&empty);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    items = 1;
    pthread_create(&first, 0, fill, 0);
    pthread_create(&second, 0, drain, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
