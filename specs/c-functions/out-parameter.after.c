// expect: proved
// options: --function f
int receive(int *value);

int f(int a)
{
    int received = a;
    return receive(&received) ? a : received;
}
