// expect: refuted
// options: --function f
// What the call has written is not read.
int receive(int *value);

int f(int a)
{
    int value = a;
    receive(&value);
    return a;
}
