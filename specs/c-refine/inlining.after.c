// expect: proved
extern int get(void);
extern void put(int);

int main(void) {
    int x = get();
    put(2 * x);
    return 0;
}
