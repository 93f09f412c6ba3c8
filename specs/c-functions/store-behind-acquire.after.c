// expect: proved
// options: --function f
#include <stdatomic.h>
int g;
atomic_int x;

int f(int a)
{
    int q = atomic_load_explicit(&x, memory_order_acquire);
    g = a;
    return q;
}
