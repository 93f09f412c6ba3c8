// expect: refuted
// options: --function f
int t[4];
void use(int);

int f(int a)
{
    return 10 / (a - 1) + t[a];
}
