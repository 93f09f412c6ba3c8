// expect: proved
// options: --function f
int g;
void use(int);

int f(int a)
{
    g = 2;
    use(a);
    return 2 * g;
}
