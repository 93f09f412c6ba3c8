// expect: refuted
// options: --function f
int g, h;

int f(int a)
{
    g = a ? 1 : 2;
    int t = h;
    h = 1;
    if (!a)
        h = t;
    return 0;
}
