// expect: refuted
int g;

int f(int a)
{
    g = a;
    return 0;
}
