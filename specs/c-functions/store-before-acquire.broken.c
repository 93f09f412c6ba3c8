// expect: refuted
// options: --function f
#include <stdatomic.h>
int g, h;
atomic_int x;

int f(int a)
{
    int r = h;
    g = g;
    int q = atomic_load_explicit(&x, memory_order_acquire);
    h = q;
    return r;
}
