// expect: proved
extern int get(void);
extern void put(int);

int main(void) {
    int a = 1;
    put(a);
    put(a + a);
    return 0;
}
