// expect: proved
// Setters write both variables in one order; a checker reads them in the other one.
#include <assert.h>
#include <pthread.h>

#define SETTERS 3

_Atomic int a, b = 0;

void *setter(void *arg) {
    a = 1;
    b = -1;
    return NULL;
}

void *checker(void *arg) {
    int y = b, x = a;
    assert(y == 0 || x == 1);
    return NULL;
}

int main(void) {
    pthread_t s[SETTERS], c;
    for (int k = 0; k < SETTERS; k++)
        pthread_create(&s[k], NULL, setter, NULL);
    pthread_create(&c, NULL, checker, NULL);
    for (int k = 0; k < SETTERS; k++)
        pthread_join(s[k], NULL);
    pthread_join(c, NULL);
    return 0;
}
