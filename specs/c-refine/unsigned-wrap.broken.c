// expect: refuted
extern int get(void);
extern void put(int);

int main(void) {
    unsigned a = get(), b = get();
    put(b);
    put(a);
    return 0;
}
