// expect: refuted
// The flag is set behind the lock.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

pthread_mutex_t m_inode, m_busy;
int block, busy, inode;

void *allocator(void *arg) {
    pthread_mutex_lock(&m_inode);
    if (inode == 0) {
        pthread_mutex_lock(&m_busy);
        pthread_mutex_unlock(&m_busy);
        busy = 1;
        inode = 1;
    }
    block = 1;
    assert(block == 1);
    pthread_mutex_unlock(&m_inode);
    return NULL;
}

void *de_allocator(void *arg) {
    pthread_mutex_lock(&m_busy);
    if (busy == 0) {
        block = 0;
        assert(block == 0);
    }
    pthread_mutex_unlock(&m_busy);
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    __VERIFIER_assume(inode == busy);
    pthread_mutex_init(&m_inode, 0);
    pthread_mutex_init(&m_busy, 0);
    pthread_create(&t1, 0, allocator, 0);
    pthread_create(&t2, 0, de_allocator, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
