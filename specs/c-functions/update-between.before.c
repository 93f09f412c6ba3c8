// An update acquires, then releases. Who acquires from it must not access what is written behind it without an acquire.
#include <stdatomic.h>

int g, h;
atomic_int tickets;

int f(int a)
{
    g = 1;
    int mine = atomic_fetch_add_explicit(&tickets, 1, memory_order_acq_rel);
    g = a;
    h = a;
    return mine;
}
