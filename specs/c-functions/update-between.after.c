// expect: proved
// options: --function f
#include <stdatomic.h>

int g, h;
atomic_int tickets;

int f(int a)
{
    int mine = atomic_fetch_add_explicit(&tickets, 1, memory_order_acq_rel);
    h = a;
    g = a;
    return mine;
}
