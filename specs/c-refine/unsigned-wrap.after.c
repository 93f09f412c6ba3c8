// expect: proved
extern int get(void);
extern void put(int);

int main(void) {
    unsigned a = get(), b = get();
    put(b);
    return 0;
}
