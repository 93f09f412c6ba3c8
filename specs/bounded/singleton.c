// expect: refuted
// paper: Lazy+CBMC4.7 0.5 s (u=1 K=3); CBMC4.7 1.6; LR rejects (73_singleton)
// Whoever comes first makes the object, the others write into it; the last letter is not always the same.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

char *v;

void *make(void *arg) {
    v = malloc(sizeof(char));
    *v = 'A';
    return 0;
}

void *write_x(void *arg) {
    if (v)
        *v = 'X';
    return 0;
}

void *write_y(void *arg) {
    if (v)
        *v = 'Y';
    return 0;
}

int main(void) {
    pthread_t t0, t1, t2;
    pthread_create(&t0, 0, make, 0);
    pthread_join(t0, 0);
    pthread_create(&t1, 0, write_x, 0);
    pthread_create(&t2, 0, write_y, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(*v == 'X');
    return 0;
}
