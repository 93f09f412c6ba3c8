// A store before an acquire may go behind it; the converse invents a write.
#include <stdatomic.h>
int g;
atomic_int x;

int f(int a)
{
    g = a;
    int q = atomic_load_explicit(&x, memory_order_acquire);
    return q;
}
