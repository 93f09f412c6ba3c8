// expect: refuted
// options: --function f
int g;
void use(int);

int f(int a)
{
    int s = g;
    int t = g;
    if (s != t)
        use(7);
    return a;
}
