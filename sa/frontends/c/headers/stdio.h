#ifndef SACHECK_STDIO_H
#define SACHECK_STDIO_H
#include <sacheck/types.h>
#include <stdarg.h>
typedef struct { int __unused; _Atomic int __over; _Atomic int __wrong; } FILE;
extern FILE *stdin, *stdout, *stderr;
#define EOF (-1)
int printf(const char *, ...);
int fprintf(FILE *, const char *, ...);
int puts(const char *);
int putchar(int);
int fputs(const char *, FILE *);
int getchar(void);
int getc(FILE *);
int fgetc(FILE *);
FILE *fopen(const char *, const char *);
int fclose(FILE *);
int feof(FILE *);
int ferror(FILE *);
void clearerr(FILE *);
int scanf(const char *, ...);
int fscanf(FILE *, const char *, ...);
int sscanf(const char *, const char *, ...);
int sprintf(char *, const char *, ...);
int vsnprintf(char *, size_t, const char *, va_list);
int vsprintf(char *, const char *, va_list);
int dprintf(int, const char *, ...);
int snprintf(char *, size_t, const char *, ...);
char *fgets(char *, int, FILE *);
int fflush(FILE *);
void perror(const char *);
int fputc(int, FILE *);
int putc(int, FILE *);
int vprintf(const char *, va_list);
int vfprintf(FILE *, const char *, va_list);
void setbuf(FILE *, char *);
int setvbuf(FILE *, char *, int, size_t);
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
#define BUFSIZ 8192
#endif
