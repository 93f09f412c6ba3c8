// expect: proved
extern int get(void);
extern void put(int);

int main(void) {
    int n = get();
    if (n > 0) {
        put(n);
        n--;
        while (n > 0) {
            put(n);
            n--;
        }
    }
    return n;
}
