// expect: proved
// A device whose state is in bit fields.
#include <pthread.h>
#include <assert.h>
struct device {
  unsigned int ready : 1;
  unsigned int busy : 1;
  unsigned int mode : 3;
  int users;
} dev;
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

void *open_dev(void *arg) {
  pthread_mutex_lock(&l);
  if (!dev.busy) {
    dev.busy = 1;
    dev.users++;
    dev.mode = dev.mode + 3;
  }
  pthread_mutex_unlock(&l);
  return 0;
}

int main(void) {
  pthread_t a, b;
  dev.ready = 1;
  pthread_create(&a, 0, open_dev, 0);
  pthread_create(&b, 0, open_dev, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(dev.ready == 1 && dev.users == 1 && dev.mode == 3);
  return 0;
}
