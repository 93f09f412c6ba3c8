// expect: refuted
// options: --function f
#include <stdatomic.h>
int g;
atomic_int x, y;

int f(int a)
{
    g = 7;
    atomic_store_explicit(&x, 1, memory_order_release);
    return a;
}
