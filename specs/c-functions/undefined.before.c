// What is undefined may become anything, and nothing may become undefined.
int t[4];
void use(int);

int f(int a)
{
    int q = 10 / a;
    return q + t[a];
}
