// expect: proved
// options: --function f
// What is written while nobody else looks is left out.
int taken, slot;

int f(int a)
{
    int none = 0;
    if (!__atomic_compare_exchange_n(&taken, &none, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return 0;
    slot = a;
    __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
    return 1;
}
