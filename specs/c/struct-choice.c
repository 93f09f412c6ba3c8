// expect: proved
// A structure that is chosen.
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
struct point { int x, y; };
static struct point p = {1, 1}, q = {2, 2}, cur;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *flip(void *arg)
{
  int which = *(int *)arg;
  pthread_mutex_lock(&m);
  cur = which ? p : q;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void)
{
  pthread_t a, b;
  int zero = 0, one = 1;
  pthread_create(&a, 0, flip, &zero);
  pthread_create(&b, 0, flip, &one);
  pthread_mutex_lock(&m);
  struct point s = cur;
  pthread_mutex_unlock(&m);
  assert(s.x == s.y);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(cur.x == cur.y && cur.x != 0);
  return 0;
}
