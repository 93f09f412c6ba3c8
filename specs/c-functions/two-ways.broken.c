// expect: refuted
// options: --function f
// The pointer may lead elsewhere.
#include <stdatomic.h>

atomic_int flag;
int data;

void f(atomic_int *p, int a)
{
    data = a;
    atomic_store_explicit(&flag, 1, memory_order_release);
}
