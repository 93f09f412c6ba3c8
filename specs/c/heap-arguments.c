// expect: proved
// Arguments of threads from the heap.
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>

typedef struct {
  int id;
  int lo, hi;
  long *result;
} job_t;

static long partial[2];

static void *run(void *raw)
{
  job_t *job = (job_t *)raw;
  long sum = 0;
  for (int i = job->lo; i < job->hi; i++)
    sum += i;
  *job->result = sum;
  free(job);
  return NULL;
}

int main(void)
{
  pthread_t th[2];
  for (int k = 0; k < 2; k++) {
    job_t *job = malloc(sizeof *job);
    if (!job) abort();
    job->id = k;
    job->lo = k * 5;
    job->hi = job->lo + 5;
    job->result = &partial[k];
    pthread_create(&th[k], NULL, run, job);
  }
  for (int k = 0; k < 2; k++)
    pthread_join(th[k], NULL);
  assert(partial[0] + partial[1] == 45);
  return 0;
}
