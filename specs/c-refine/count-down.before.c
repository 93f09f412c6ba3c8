// A call for each number below n.
extern unsigned get(void);
extern void report(void);

int main(void) {
    unsigned n = get();
    for (unsigned i = 0; i < n; i++) {
        report();
    }
    return 0;
}
