#ifndef SACHECK_UNISTD_H
#define SACHECK_UNISTD_H
#include <sacheck/types.h>
unsigned int sleep(unsigned int);
int usleep(unsigned int);
void _exit(int);
#endif
