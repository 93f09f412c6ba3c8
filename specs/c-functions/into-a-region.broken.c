// expect: refuted
// options: --function f
#include <pthread.h>
int g, h;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int f(int a)
{
    g = a;
    pthread_mutex_lock(&m);
    int t = h;
    pthread_mutex_unlock(&m);
    h = t + 1;
    return 0;
}
