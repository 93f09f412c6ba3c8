// Data are written before the flag that hands them over, in any order among themselves.
#include <stdatomic.h>
int g, h;
atomic_int ready;

int f(int a)
{
    g = a;
    h = a + 1;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return 0;
}
