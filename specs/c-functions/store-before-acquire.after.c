// expect: proved
// options: --function f
#include <stdatomic.h>
int g, h;
atomic_int x;

int f(int a)
{
    int r = h;
    int q = atomic_load_explicit(&x, memory_order_acquire);
    h = q + r - r;
    return r;
}
