// expect: proved
extern int get(void);
extern void put(int);

int main(void) {
    int a = get();
    if (a) {
        int b = get();
        if (b)
            put(1);
    }
    return 0;
}
