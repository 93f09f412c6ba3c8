// A store behind a release may go before it: who could see it races with it.
#include <stdatomic.h>
int g;
atomic_int x;

int f(int a)
{
    atomic_store_explicit(&x, 1, memory_order_release);
    g = a;
    return 0;
}
