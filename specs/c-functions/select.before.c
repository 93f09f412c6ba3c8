// A choice of what is stored; a store on one way only is none on the other.
int g, h;

int f(int a)
{
    if (a)
        g = 1;
    else
        g = 2;
    if (a)
        h = 1;
    return 0;
}
