#ifndef SACHECK_FCNTL_H
#define SACHECK_FCNTL_H
#include <sacheck/types.h>
#endif
