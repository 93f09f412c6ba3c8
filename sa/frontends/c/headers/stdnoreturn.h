#ifndef SACHECK_STDNORETURN_H
#define SACHECK_STDNORETURN_H
#define noreturn _Noreturn
#endif
