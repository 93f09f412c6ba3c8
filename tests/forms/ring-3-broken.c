#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
static atomic_uint head, tail;
static int slots[4];
static void *producer(void *a) {
    for (int n = 0;; n++) {
        unsigned t, room;
        do {
            t = tail;
            room = 5 - (t - head);
        } while (room == 0);
        unsigned place = t & 3;
        int value = n;
        slots[place] = value;
        tail = t + 1;
    }
    return a;
}
static void *consumer(void *a) {
    for (int want = 0;; want++) {
        unsigned h = head;
        while (tail == h) {
        }
        unsigned place = h & 3;
        int value = slots[place];
        head = h + 1;
        assert(value == want);
    }
    return a;
}
int main(void) {
    pthread_t p, c;
    pthread_create(&p, 0, producer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    return 0;
}
