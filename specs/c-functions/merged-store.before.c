// Two atomic stores that others may see, and two plain ones of which they see the last.
int state, total;

void f(int a)
{
    __atomic_store_n(&state, 1, __ATOMIC_RELAXED);
    total = 0;
    total = a;
    __atomic_store_n(&state, 2, __ATOMIC_RELAXED);
}
