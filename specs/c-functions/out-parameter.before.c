// A variable of the function whose address a call gets: it may read and write it then.
int receive(int *value);

int f(int a)
{
    int value = 0, old = a;
    value = old;
    int failed = receive(&value);
    if (failed)
        value = old;
    return value;
}
