// expect: proved
// options: --function f
#include <stdatomic.h>
int g, h;
atomic_int ready;

int f(int a)
{
    h = a + 1;
    g = h - 1;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return 0;
}
