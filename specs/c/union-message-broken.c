// expect: refuted
// A message whose content is a union.
#include <pthread.h>
#include <assert.h>
#include <stdint.h>

typedef enum { MSG_NONE, MSG_INT, MSG_PAIR } kind_t;
typedef struct message {
  kind_t kind;
  union {
    int32_t number;
    struct { int16_t a, b; } pair;
  } u;
} message_t;

static message_t box;
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;

static void *producer(void *unused)
{
  pthread_mutex_lock(&mu);
  box.kind = MSG_PAIR;
  box.u.pair.a = 3;
  pthread_mutex_unlock(&mu); pthread_mutex_lock(&mu); box.u.pair.b = 4;
  pthread_mutex_unlock(&mu);
  return 0;
}

int main(void)
{
  pthread_t p;
  pthread_create(&p, 0, producer, 0);
  pthread_mutex_lock(&mu);
  switch (box.kind) {
  case MSG_NONE:
    break;
  case MSG_INT:
    assert(box.u.number == 0);
    break;
  case MSG_PAIR:
    assert(box.u.pair.a + box.u.pair.b == 7);
    break;
  }
  pthread_mutex_unlock(&mu);
  pthread_join(p, 0);
  return 0;
}
