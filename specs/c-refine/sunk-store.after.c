// expect: proved
extern int get(void);
extern void put(int);

int g;
int main(void) {
    int n = get();
    if (n > 0)
        g = n - 1;
    put(g);
    return 0;
}
