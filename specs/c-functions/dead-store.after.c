// expect: proved
// options: --function f
int g;

int f(int a)
{
    g = a + 1;
    return 0;
}
