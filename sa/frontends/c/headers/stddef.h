#ifndef SACHECK_STDDEF_H
#define SACHECK_STDDEF_H
#include <sacheck/types.h>
#ifdef SACHECK_CHECKING
#define offsetof(type, field) __builtin_offsetof(type, field)
#endif
#endif
