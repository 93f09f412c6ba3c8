#ifndef SACHECK_STDARG_H
#define SACHECK_STDARG_H
typedef unsigned long va_list;
#define va_start(list, last) ((void) 0)
#define va_end(list) ((void) 0)
#define va_copy(to, from) ((void) 0)
#define va_arg(list, type) (*(type *) __sacheck_argument())
void *__sacheck_argument(void);
#endif
