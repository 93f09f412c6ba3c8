#ifndef SACHECK_STDLIB_H
#define SACHECK_STDLIB_H
#include <sacheck/types.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
void abort(void);
void exit(int);
void _Exit(int);
int rand(void);
void srand(unsigned int);
int abs(int);
int atoi(const char *);
long atol(const char *);
long strtol(const char *, char **, int);
long long strtoll(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
unsigned long long strtoull(const char *, char **, int);
double strtod(const char *, char **);
long long atoll(const char *);
char *getenv(const char *);
long labs(long);
long long llabs(long long);
int rand_r(unsigned int *);
long random(void);
void srandom(unsigned int);
void quick_exit(int);
#endif
