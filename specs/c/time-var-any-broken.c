// expect: refuted
// Any number of threads allocate blocks under two locks.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void abort(void);

int block, busy, inode;
pthread_mutex_t m_inode = PTHREAD_MUTEX_INITIALIZER, m_busy = PTHREAD_MUTEX_INITIALIZER;

void *allocator(void *arg) {
    pthread_mutex_lock(&m_inode);
    if (inode == 0) {
        pthread_mutex_lock(&m_busy);
        busy = 1;
        pthread_mutex_unlock(&m_busy);
        inode = 1;
    }
    busy = 0;
    block = 1;
    assert(block == 1);
    pthread_mutex_unlock(&m_inode);
    return NULL;
}

void *deallocator(void *arg) {
    pthread_mutex_lock(&m_busy);
    if (busy == 0) {
        block = 0;
        assert(block == 0);
    }
    pthread_mutex_unlock(&m_busy);
    return NULL;
}

int main(void) {
    pthread_t t;
    while (__VERIFIER_nondet_bool()) {
        pthread_create(&t, NULL, allocator, NULL);
        pthread_create(&t, NULL, deallocator, NULL);
    }
    return 0;
}
