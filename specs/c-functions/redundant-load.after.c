// expect: proved
// options: --function f
#include <stdatomic.h>
int g;
atomic_int x, y;

int f(int a)
{
    int r = g;
    int q = atomic_load_explicit(&x, memory_order_acquire);
    atomic_store_explicit(&y, 1, memory_order_release);
    q += atomic_load_explicit(&x, memory_order_acquire);
    int t = g;
    return 2 * r + t + q;
}
