// expect: refuted
// options: --function f
// Others may access `h` until the update acquires.
#include <stdatomic.h>

int g, h;
atomic_int tickets;

int f(int a)
{
    h = a;
    int mine = atomic_fetch_add_explicit(&tickets, 1, memory_order_acq_rel);
    g = a;
    return mine;
}
