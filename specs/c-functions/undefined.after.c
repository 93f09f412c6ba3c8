// expect: proved
// options: --function f
int t[4];
void use(int);

int f(int a)
{
    if (a == 0)
        use(1);
    return 10 / a + t[a];
}
