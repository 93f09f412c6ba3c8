#ifndef SACHECK_SYS_TIME_H
#define SACHECK_SYS_TIME_H
#include <sacheck/types.h>
struct timezone { int tz_minuteswest; int tz_dsttime; };
int gettimeofday(struct timeval *, void *);
#endif
