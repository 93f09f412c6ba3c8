// A store that another one overwrites is left out; the last one is not.
int g;

int f(int a)
{
    g = a;
    g = a + 1;
    return 0;
}
