// expect: refuted
extern int get(void);
extern void put(int);

int main(void) {
    int n = get();
    do {
        put(n);
        n--;
    } while (n > 0);
    return n;
}
