// expect: proved
// options: --function f
int g, h;

int f(int a)
{
    g = a ? 1 : 2;
    if (a)
        h = 1;
    return 0;
}
