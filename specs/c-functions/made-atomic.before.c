// A counter that a thread has for itself, and a flag that others set.
unsigned count;
int stop;

unsigned f(void)
{
    count = count + 1;
    if (__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
        count = count + 1;
    return count;
}
