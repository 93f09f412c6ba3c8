// expect: refuted
// options: --function f
// The atomic stores become a plain one.
int state, total;

void f(int a)
{
    total = a;
    state = 2;
}
