// expect: proved
// options: --function f
#include <stdatomic.h>
int g;
atomic_int ready;

int f(int a)
{
    int flag = atomic_load_explicit(&ready, memory_order_acquire);
    int t = g;
    return flag ? 2 * t : 0;
}
