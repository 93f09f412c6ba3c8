#ifndef SACHECK_SIGNAL_H
#define SACHECK_SIGNAL_H
#include <sacheck/types.h>
/* Signals are not accepted: these are declared so that calls can be told. */
typedef int sig_atomic_t;
typedef unsigned long sigset_t;
struct sigaction { void (*sa_handler)(int); sigset_t sa_mask; int sa_flags; };
#define SIG_DFL ((void (*)(int)) 0)
#define SIG_IGN ((void (*)(int)) 1)
#define SIG_ERR ((void (*)(int)) -1)
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGABRT 6
#define SIGFPE 8
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGCHLD 17
void (*signal(int, void (*)(int)))(int);
int raise(int);
int kill(int, int);
int sigaction(int, const struct sigaction *, struct sigaction *);
int sigemptyset(sigset_t *);
int sigfillset(sigset_t *);
int sigaddset(sigset_t *, int);
int sigprocmask(int, const sigset_t *, sigset_t *);
int sigwait(const sigset_t *, int *);
int pthread_sigmask(int, const sigset_t *, sigset_t *);
int pthread_kill(unsigned long, int);
#endif
