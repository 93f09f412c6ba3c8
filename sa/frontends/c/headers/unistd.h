#ifndef SACHECK_UNISTD_H
#define SACHECK_UNISTD_H
#include <sacheck/types.h>
unsigned int sleep(unsigned int);
int usleep(unsigned int);
void _exit(int);
pid_t getpid(void);
long sysconf(int);
#define _SC_NPROCESSORS_ONLN 84
#define _SC_PAGESIZE 30
#endif
