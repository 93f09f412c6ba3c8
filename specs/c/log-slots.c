// expect: proved
// Two writers reserve slots of a log of 1,024 entries.
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
#include <stdint.h>

#define LOG_SIZE 1024u
#define LOG_MASK (LOG_SIZE - 1u)

struct entry { uint32_t tag; int32_t value; };

static struct entry log_entries[LOG_SIZE];
static atomic_uint cursor;

static unsigned reserve(void)
{
    return atomic_fetch_add_explicit(&cursor, 1u, memory_order_relaxed);
}

static void log_append(uint32_t tag, int32_t value)
{
    unsigned slot = reserve() & LOG_MASK;
    log_entries[slot].tag = tag;
    log_entries[slot].value = value;
}

static void *writer_a(void *p) { (void)p; log_append(1, 10); return NULL; }
static void *writer_b(void *p) { (void)p; log_append(2, 20); return NULL; }

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer_a, NULL);
    pthread_create(&b, NULL, writer_b, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(atomic_load(&cursor) == 2);
    assert(log_entries[0].value + log_entries[1].value == 30);
    assert(log_entries[0].tag != log_entries[1].tag);
    return 0;
}
