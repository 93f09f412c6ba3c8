// Volatile accesses are kept, all of them, in their order.
volatile int v;
int g;

int f(int a)
{
    int r = v;
    g = r;
    g = r + 1;
    int s = v;
    v = a;
    return s;
}
