// What was written before a release may be somebody else's after it.
#include <stdatomic.h>
int g;
atomic_int x;

int f(int a)
{
    g = 1;
    g = a;
    atomic_store_explicit(&x, 1, memory_order_release);
    return 0;
}
