// expect: proved
// options: --function f
int g;
void use(int);

int f(int a)
{
    int t = g;
    return a;
}
