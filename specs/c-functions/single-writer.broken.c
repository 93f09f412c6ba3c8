// expect: refuted
// options: --function f
// The atomic store becomes a plain one: who reads the ticket meanwhile races with it.
unsigned ticket, buffer;

unsigned f(unsigned a)
{
    buffer = a;
    unsigned n = ticket;
    ticket = n + 1;
    return n + 1;
}
