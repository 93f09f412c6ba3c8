// A function that is not known may do anything with shared variables.
int g;
void use(int);

int f(int a)
{
    g = 1;
    g = 2;
    use(a);
    int r = g;
    int s = g;
    return r + s;
}
