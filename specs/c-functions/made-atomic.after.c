// expect: proved
// options: --function f
// To count atomically is more than is asked for.
unsigned count;
int stop;

unsigned f(void)
{
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
        __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&count, __ATOMIC_RELAXED);
}
