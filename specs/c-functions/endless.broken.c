// expect: refuted
// options: --function f
int g, h;

int f(int a)
{
    h = a;
    g = a;
    while (1) { }
}
