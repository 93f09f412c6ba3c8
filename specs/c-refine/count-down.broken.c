// expect: refuted
extern unsigned get(void);
extern void report(void);

int main(void) {
    unsigned n = get();
    do {
        report();
        n--;
    } while (n != 0);
    return 0;
}
