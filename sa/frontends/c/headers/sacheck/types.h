#ifndef SACHECK_TYPES_H
#define SACHECK_TYPES_H
typedef unsigned long size_t;
typedef long ssize_t;
typedef long ptrdiff_t;
typedef int wchar_t;
typedef long time_t;
typedef int pid_t;
struct timespec { long tv_sec; long tv_nsec; };
struct timeval { long tv_sec; long tv_usec; };
#ifndef NULL
#define NULL ((void *) 0)
#endif
#endif
