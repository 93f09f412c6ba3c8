#ifndef SACHECK_STRINGS_H
#define SACHECK_STRINGS_H
#include <string.h>
void bzero(void *, size_t);
#endif
