// expect: proved
// options: --function f
// The plain stores become one, which may be atomic.
int state, total;

void f(int a)
{
    __atomic_store_n(&total, a, __ATOMIC_RELAXED);
    __atomic_store_n(&state, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&state, 2, __ATOMIC_RELAXED);
}
