// expect: proved
// options: --function f
volatile int v;
int g;

int f(int a)
{
    g = v + 1;
    int s = v;
    v = a;
    return s;
}
