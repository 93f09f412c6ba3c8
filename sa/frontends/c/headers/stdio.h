#ifndef SACHECK_STDIO_H
#define SACHECK_STDIO_H
#include <sacheck/types.h>
typedef struct { int __unused; } FILE;
extern FILE *stdin, *stdout, *stderr;
#define EOF (-1)
int printf(const char *, ...);
int fprintf(FILE *, const char *, ...);
int puts(const char *);
int putchar(int);
int fputs(const char *, FILE *);
int getchar(void);
int fflush(FILE *);
void perror(const char *);
#endif
