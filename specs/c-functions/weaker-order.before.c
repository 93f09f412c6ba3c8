// The order of an atomic store is part of it.
#include <stdatomic.h>
int g;
atomic_int ready;

int f(int a)
{
    g = 1;
    g = a;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return 0;
}
