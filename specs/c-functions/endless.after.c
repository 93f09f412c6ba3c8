// expect: proved
// options: --function f
int g, h;

int f(int a)
{
    h = 1;
    h = a;
    while (1) { }
}
