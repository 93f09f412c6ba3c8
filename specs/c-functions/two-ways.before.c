// A flag that is meant by its name or through a pointer.
#include <stdatomic.h>

atomic_int flag;
int data;

void f(atomic_int *p, int a)
{
    data = a;
    if (p == &flag)
        atomic_store_explicit(&flag, 1, memory_order_release);
    else
        atomic_store_explicit(p, 1, memory_order_release);
}
