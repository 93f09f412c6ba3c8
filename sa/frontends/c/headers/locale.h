#ifndef SACHECK_LOCALE_H
#define SACHECK_LOCALE_H
#include <sacheck/types.h>
#endif
