// expect: proved
// A table of 500 numbers under one lock.
#include <pthread.h>
#include <assert.h>
#define N 500
int table[N];
int filled;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *fill(void *arg) {
  for (int i = 0; i < N; i++) {
    pthread_mutex_lock(&lock);
    table[i] = i + 1;
    filled = i + 1;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

void *look(void *arg) {
  pthread_mutex_lock(&lock);
  int n = filled;
  if (n > 0)
    assert(table[n - 1] == n);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main() {
  pthread_t t1, t2;
  pthread_create(&t1, NULL, fill, NULL);
  pthread_create(&t2, NULL, look, NULL);
  pthread_join(t1, NULL);
  pthread_join(t2, NULL);
  return 0;
}
