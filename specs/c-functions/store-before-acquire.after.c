// expect: proved
// options: --function f
#include <stdatomic.h>
unsigned g, h;
atomic_uint x;

unsigned f(int a)
{
    unsigned r = h;
    unsigned q = atomic_load_explicit(&x, memory_order_acquire);
    h = q + r - r;
    return r;
}
