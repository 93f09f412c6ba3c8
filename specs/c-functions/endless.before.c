// A store that is invented counts although nothing is seen after it.
int g, h;

int f(int a)
{
    h = a;
    while (1) { }
}
