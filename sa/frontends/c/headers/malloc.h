#ifndef SACHECK_MALLOC_H
#define SACHECK_MALLOC_H
#include <stdlib.h>
#endif
