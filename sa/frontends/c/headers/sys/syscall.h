#ifndef SACHECK_SYS_SYSCALL_H
#define SACHECK_SYS_SYSCALL_H
#include <sacheck/types.h>
#endif
