// expect: refuted
// options: --function f
int g;

int f(int a)
{
    g = a;
    return 0;
}
