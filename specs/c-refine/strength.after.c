// expect: proved
extern int get(void);
extern void put(int);

int main(void) {
    int n = get();
    int t = 0;
    for (int i = 0; i != n; i++) {
        put(t);
        t += 4;
    }
    return 0;
}
