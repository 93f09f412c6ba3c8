// A store may go into a critical region, and none comes out of it.
#include <pthread.h>
int g, h;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int f(int a)
{
    g = a;
    pthread_mutex_lock(&m);
    h = h + 1;
    pthread_mutex_unlock(&m);
    return 0;
}
