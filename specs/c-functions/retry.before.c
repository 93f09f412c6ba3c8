// A loop around compare-and-swap written in another way.
#include <stdatomic.h>
atomic_int x;

int f(int a)
{
    int old = atomic_load_explicit(&x, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&x, &old, old + a)) { }
    return old;
}
