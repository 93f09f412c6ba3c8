// expect: proved
// options: --function f
// The plain read becomes an atomic one; the last one is what was written.
unsigned ticket, buffer;

unsigned f(unsigned a)
{
    buffer = a;
    unsigned n = __atomic_load_n(&ticket, __ATOMIC_RELAXED);
    __atomic_store_n(&ticket, n + 1, __ATOMIC_RELEASE);
    return n + 1;
}
