// expect: refuted
// options: --function f
#include <stdatomic.h>
int g;
atomic_int ready;

int f(int a)
{
    int t = g;
    if (atomic_load_explicit(&ready, memory_order_acquire))
        return 2 * t;
    return 0;
}
