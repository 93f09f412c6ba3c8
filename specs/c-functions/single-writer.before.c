// One thread writes the ticket, so it may read it plainly; others read it atomically, and what is behind it.
unsigned ticket, buffer;

unsigned f(unsigned a)
{
    unsigned n = ticket;
    buffer = 0;
    buffer = a;
    __atomic_store_n(&ticket, n + 1, __ATOMIC_RELEASE);
    return ticket;
}
