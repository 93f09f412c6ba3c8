// expect: proved
// options: --function f
#include <pthread.h>
int g, h;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int f(int a)
{
    pthread_mutex_lock(&m);
    g = a;
    h = h + 1;
    pthread_mutex_unlock(&m);
    return 0;
}
