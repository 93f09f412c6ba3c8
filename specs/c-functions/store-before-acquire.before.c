// A store that the original does not make, in front of an acquire.
#include <stdatomic.h>
unsigned g, h;
atomic_uint x;

unsigned f(int a)
{
    unsigned r = h;
    unsigned q = atomic_load_explicit(&x, memory_order_acquire);
    h = q;
    return r;
}
