// expect: proved
// Each thread owns a bit of a word and changes it atomically.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint word;

void *one(void *arg) {
    for (int k = 0; k < 3; k++) {
        atomic_fetch_or(&word, 1u << 3);
        assert(word & 8);
        atomic_fetch_and(&word, ~8u);
        assert(!(word & 8));
    }
    return NULL;
}

void *two(void *arg) {
    for (int k = 0; k < 3; k++) {
        atomic_fetch_xor(&word, 0x30);
        assert((word & 0x30) == 0x30 || (word & 0x30) == 0);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert((word & 0x30) == 0x30);
    return 0;
}
