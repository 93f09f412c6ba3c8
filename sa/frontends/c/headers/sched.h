#ifndef SACHECK_SCHED_H
#define SACHECK_SCHED_H
int sched_yield(void);
#endif
