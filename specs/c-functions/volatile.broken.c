// expect: refuted
// options: --function f
volatile int v;
int g;

int f(int a)
{
    g = v + 1;
    v = a;
    return g - 1;
}
