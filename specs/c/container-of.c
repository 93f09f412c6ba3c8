// expect: proved
// Work items inside of devices, as kernels have them.
#include <stddef.h>
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>

#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))

struct work { void (*func)(struct work *); struct work *next; };
struct my_device { int irq; int count; struct work w; };

static struct my_device d;
static struct work *pending;
static pthread_mutex_t q = PTHREAD_MUTEX_INITIALIZER;

static void handler(struct work *w)
{
	struct my_device *dev = container_of(w, struct my_device, w);
	dev->count++;
}

static void schedule_work(struct work *w)
{
	pthread_mutex_lock(&q);
	w->next = pending;
	pending = w;
	pthread_mutex_unlock(&q);
}

static void *worker(void *arg)
{
	struct work *w;
	pthread_mutex_lock(&q);
	w = pending;
	if (w)
		pending = w->next;
	pthread_mutex_unlock(&q);
	if (w)
		w->func(w);
	return NULL;
}

int main(void)
{
	pthread_t t;
	d.irq = 5;
	d.w.func = handler;
	pthread_create(&t, NULL, worker, NULL);
	schedule_work(&d.w);
	pthread_join(t, NULL);
	assert(d.count <= 1 && d.irq == 5);
	return 0;
}
