// expect: proved
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t ma = PTHREAD_MUTEX_INITIALIZER, mb = PTHREAD_MUTEX_INITIALIZER;
static int a = 100, b;
static void *move(void *arg) {
    while (1) {
        int n = __VERIFIER_nondet_int();
        pthread_mutex_lock(&ma);
        pthread_mutex_lock(&mb);
        int x = a;
        if (n > 0 && n <= x) {
            a = x - n;
            int y = b;
            b = y + n;
        }
        pthread_mutex_unlock(&mb);
        pthread_mutex_unlock(&ma);
    }
    return arg;
}
static void *audit(void *arg) {
    while (1) {
        pthread_mutex_lock(&ma);
        pthread_mutex_lock(&mb);
        int x = a;
        int y = b;
        pthread_mutex_unlock(&mb);
        pthread_mutex_unlock(&ma);
        int sum = x + y;
        assert(sum == 100);
    }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, move, 0);
    pthread_create(&b, 0, audit, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
