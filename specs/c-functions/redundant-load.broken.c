// expect: refuted
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
    return 3 * r + q;
}
