// expect: proved
// paper: LR err; CBMC 1.5 s; Threader 171.2 (scull_safe, u=5)
// A character device that keeps its bytes in quanta, after the driver in the book on Linux device drivers. Processes
// open it, move, write and read; what they do with its memory is done under its semaphore. `mark` is written at the
// start of each operation and must still be there at its end.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define QUANTUM 4
#define QSET 2
#define ROOM (QUANTUM * QSET)
#define ERESTART (-512)
#define EINVAL (-22)
#define EFAULT (-14)

extern unsigned char __VERIFIER_nondet_uchar(void);

enum { NOBODY, OPENING, READING, WRITING, ASKING };

static sem_t sem;
static int mark, size, quanta, quantum = QUANTUM;
static int data[ROOM];

static void trim(void) {
    for (int q = 0; q < quanta; q++)
        for (int i = 0; i < QUANTUM; i++)
            data[q * QUANTUM + i] = 0;
    quanta = 0;
    size = 0;
    quantum = QUANTUM;
}

static int device_open(int write_only) {
    if (write_only) {
        if (sem_wait(&sem))
            return ERESTART;
        mark = OPENING;
        trim();
        assert(mark == OPENING);
        sem_post(&sem);
    }
    return 0;
}

static int device_read(int count, int *pos) {
    int done = 0;
    if (sem_wait(&sem))
        return ERESTART;
    mark = READING;
    if (*pos < size) {
        int left = QUANTUM - *pos % QUANTUM;
        if (*pos + count > size)
            count = size - *pos;
        if (count > left)
            count = left;
        for (int i = 0; i < QUANTUM; i++)
            if (i < count)
                assert(data[*pos + i] != 0);
        *pos += count;
        done = count;
    }
    assert(mark == READING);
    sem_post(&sem);
    return done;
}

static int device_write(int count, int *pos) {
    int done = EFAULT;
    if (sem_wait(&sem))
        return ERESTART;
    mark = WRITING;
    if (*pos < ROOM && *pos <= size) {
        int left = QUANTUM - *pos % QUANTUM;
        if (count > left)
            count = left;
        if (*pos / QUANTUM + 1 > quanta)
            quanta = *pos / QUANTUM + 1;
        for (int i = 0; i < QUANTUM; i++)
            if (i < count)
                data[*pos + i] = 1;
        *pos += count;
        done = count;
        if (size < *pos)
            size = *pos;
    }
    assert(mark == WRITING);
    assert(size <= quanta * QUANTUM);
    sem_post(&sem);
    return done;
}

static int device_llseek(int off, int whence, int *pos) {
    int at;
    if (whence == 0)
        at = off;
    else if (whence == 1)
        at = *pos + off;
    else {
        if (sem_wait(&sem))
            return ERESTART;
        at = size + off;
        sem_post(&sem);
    }
    if (at < 0 || at > ROOM)
        return EINVAL;
    *pos = at;
    return at;
}

static int device_ioctl(int given) {
    int before;
    if (sem_wait(&sem))
        return ERESTART;
    mark = ASKING;
    before = quantum;
    if (given > 0)
        quantum = given;
    assert(mark == ASKING);
    sem_post(&sem);
    return before;
}

static int asked(int most) {
    return __VERIFIER_nondet_uchar() % (most + 1);
}

void *writer(void *arg) {
    int pos = 0;
    device_open(1);
    device_write(asked(QUANTUM), &pos);
    device_write(asked(QUANTUM), &pos);
    device_ioctl(asked(100));
    return 0;
}

void *reader(void *arg) {
    int pos = 0;
    device_open(0);
    device_llseek(0, 2, &pos);
    device_llseek(asked(QUANTUM), 0, &pos);
    device_read(asked(QUANTUM), &pos);
    device_read(asked(QUANTUM), &pos);
    return 0;
}

int main(void) {
    pthread_t first, second;
    sem_init(&sem, 0, 1);
    pthread_create(&first, 0, writer, 0);
    pthread_create(&second, 0, reader, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
