#ifndef SACHECK_STDDEF_H
#define SACHECK_STDDEF_H
#include <sacheck/types.h>
#endif
