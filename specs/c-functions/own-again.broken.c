// expect: refuted
// options: --function f
// The flag is read before the exchange, when others may still write it.
int taken, slot;

int f(int a)
{
    int none = 0;
    if (taken != 0)
        return 0;
    if (!__atomic_compare_exchange_n(&taken, &none, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return 0;
    slot = a;
    __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
    return 1;
}
