// expect: proved
// options: --function f
#include <stdatomic.h>
int g;
atomic_int x;

int f(int a)
{
    g = a;
    atomic_store_explicit(&x, 1, memory_order_release);
    return 0;
}
