// Who finds the flag unset owns the slot behind the exchange, the flag too, until it is set again.
int taken, slot;

int f(int a)
{
    int none = 0;
    if (!__atomic_compare_exchange_n(&taken, &none, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return 0;
    taken = 2;
    slot = a;
    taken = 3;
    __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
    return 1;
}
