// expect: refuted
// A division by a number that was looked at before.
#include <pthread.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int d, r;
_Atomic int go;
void *div_thread(void *a)
{
  while (!go) ;
  if (d != 0)
    r = 1000 / d;
  return 0;
}
int main(void)
{
  pthread_t t;
  pthread_create(&t, 0, div_thread, 0);
  d = __VERIFIER_nondet_int();
  go = 1;
  pthread_join(t, 0);
  assert(r >= 0 && r <= 1000);
  return 0;
}
