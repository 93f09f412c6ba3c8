// expect: proved
// options: --function f
#include <stdatomic.h>

atomic_int flag;
int data;

void f(atomic_int *p, int a)
{
    data = a;
    atomic_store_explicit(p, 1, memory_order_release);
}
