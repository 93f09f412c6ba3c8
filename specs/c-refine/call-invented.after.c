// expect: proved
extern int get(void);
extern void put(int);

int main(void) {
    int x = get();
    if (!(x <= 0))
        put(x);
    return 0;
}
