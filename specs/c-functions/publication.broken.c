// expect: refuted
// options: --function f
#include <stdatomic.h>
int g, h;
atomic_int ready;

int f(int a)
{
    g = a;
    atomic_store_explicit(&ready, 1, memory_order_release);
    h = a + 1;
    return 0;
}
