// expect: proved
int g;

int f(int a)
{
    g = a + 1;
    return 0;
}
