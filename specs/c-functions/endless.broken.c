// expect: refuted
int g, h;

int f(int a)
{
    h = a;
    g = a;
    while (1) { }
}
