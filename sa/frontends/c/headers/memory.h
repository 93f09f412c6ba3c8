#ifndef SACHECK_MEMORY_H
#define SACHECK_MEMORY_H
#include <string.h>
#endif
