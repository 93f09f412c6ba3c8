#ifndef SACHECK_SEMAPHORE_H
#define SACHECK_SEMAPHORE_H
#include <sacheck/types.h>
typedef struct { unsigned int __value; } sem_t;
int sem_init(sem_t *, int, unsigned int);
int sem_destroy(sem_t *);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_timedwait(sem_t *, const struct timespec *);
int sem_post(sem_t *);
int sem_getvalue(sem_t *, int *);
#endif
