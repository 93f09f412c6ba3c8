#ifndef SACHECK_STRING_H
#define SACHECK_STRING_H
#include <sacheck/types.h>
void *memset(void *, int, size_t);
void *memcpy(void *, const void *, size_t);
size_t strlen(const char *);
#endif
