// expect: refuted
// options: --function f
// The flag is read plainly: that is a race with who sets it.
unsigned count;
int stop;

unsigned f(void)
{
    count = count + 1;
    if (stop)
        count = count + 1;
    return count;
}
