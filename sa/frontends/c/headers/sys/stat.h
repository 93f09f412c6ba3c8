#ifndef SACHECK_SYS_STAT_H
#define SACHECK_SYS_STAT_H
#include <sacheck/types.h>
#endif
