#ifndef SACHECK_SETJMP_H
#define SACHECK_SETJMP_H
/* Jumps between functions are not accepted: they are declared so that calls of them can be told. */
typedef struct { int __unused; } jmp_buf[1];
typedef jmp_buf sigjmp_buf;
int setjmp(jmp_buf);
int _setjmp(jmp_buf);
int sigsetjmp(sigjmp_buf, int);
void longjmp(jmp_buf, int);
void siglongjmp(sigjmp_buf, int);
#endif
