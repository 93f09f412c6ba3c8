// A second load over an acquire; over a release and an acquire it is another value.
#include <stdatomic.h>
int g;
atomic_int x, y;

int f(int a)
{
    int r = g;
    int q = atomic_load_explicit(&x, memory_order_acquire);
    int s = g;
    atomic_store_explicit(&y, 1, memory_order_release);
    q += atomic_load_explicit(&x, memory_order_acquire);
    int t = g;
    return r + s + t + q;
}
