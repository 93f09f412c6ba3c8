// expect: proved
extern int get(void);
extern void put(int);

volatile int ready;
int main(void) {
    int r;
    do
        r = ready;
    while (r == 0);
    put(1);
    return 0;
}
