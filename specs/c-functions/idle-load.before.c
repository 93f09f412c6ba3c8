// A value may be read that nobody needs; that two reads agree is not known.
int g;
void use(int);

int f(int a)
{
    return a;
}
