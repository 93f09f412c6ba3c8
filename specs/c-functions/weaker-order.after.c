// expect: proved
// options: --function f
#include <stdatomic.h>
int g;
atomic_int ready;

int f(int a)
{
    g = a;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return 0;
}
