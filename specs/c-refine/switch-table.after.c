// expect: proved
extern int get(void);
extern void put(int);

int main(void) {
    static const int table[3] = {5, 7, 6};
    int x = get();
    int r = 0;
    if (x >= 0 && x < 3)
        r = table[x];
    put(r);
    return 0;
}
