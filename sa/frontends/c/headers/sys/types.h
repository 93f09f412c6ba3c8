#ifndef SACHECK_SYS_TYPES_H
#define SACHECK_SYS_TYPES_H
#include <sacheck/types.h>
#endif
