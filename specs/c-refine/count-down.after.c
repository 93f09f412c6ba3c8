// expect: proved
extern unsigned get(void);
extern void report(void);

int main(void) {
    unsigned n = get();
    while (n != 0) {
        report();
        n--;
    }
    return 0;
}
