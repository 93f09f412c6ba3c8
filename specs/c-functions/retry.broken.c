// expect: refuted
// options: --function f
#include <stdatomic.h>
atomic_int x;

int f(int a)
{
    int old = atomic_load_explicit(&x, memory_order_relaxed);
    for (;;) {
        int new = a + old;
        if (atomic_compare_exchange_weak(&x, &old, new))
            return new;
    }
}
