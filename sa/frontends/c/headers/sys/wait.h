#ifndef SACHECK_SYS_WAIT_H
#define SACHECK_SYS_WAIT_H
#include <sacheck/types.h>
#endif
