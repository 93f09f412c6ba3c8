// Data are read after the flag that hands them over.
#include <stdatomic.h>
int g;
atomic_int ready;

int f(int a)
{
    if (atomic_load_explicit(&ready, memory_order_acquire))
        return g + g;
    return 0;
}
