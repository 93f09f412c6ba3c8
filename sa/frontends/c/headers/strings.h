#ifndef SACHECK_STRINGS_H
#define SACHECK_STRINGS_H
#include <string.h>
void bzero(void *, size_t);
int strcasecmp(const char *, const char *);
int strncasecmp(const char *, const char *, size_t);
int ffs(int);
int ffsl(long);
int ffsll(long long);
#endif
