#ifndef SACHECK_TIME_H
#define SACHECK_TIME_H
#include <sacheck/types.h>
time_t time(time_t *);
int nanosleep(const struct timespec *, struct timespec *);
#endif
