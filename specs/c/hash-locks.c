// expect: proved
// A lock for each of 128 buckets.
#include <pthread.h>
#include <assert.h>
#define BUCKETS 128
struct bucket { pthread_mutex_t lock; int keys; };
static struct bucket table[BUCKETS];
static unsigned hash(unsigned k) { return (k * 7u) % BUCKETS; }
static void insert(unsigned k)
{
  struct bucket *b = &table[hash(k)];
  pthread_mutex_lock(&b->lock);
  b->keys++;
  pthread_mutex_unlock(&b->lock);
}
static void *ins(void *p) { insert((unsigned)(unsigned long)p); return 0; }
int main(void)
{
  pthread_t a, b;
  for (int i = 0; i < BUCKETS; i++)
    pthread_mutex_init(&table[i].lock, 0);
  pthread_create(&a, 0, ins, (void *)3UL);
  pthread_create(&b, 0, ins, (void *)131UL);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(table[hash(3)].keys == 2);
  return 0;
}
