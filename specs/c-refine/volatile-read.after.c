// expect: proved
extern int get(void);
extern void put(int);

volatile unsigned status;
int main(void) {
    unsigned a = status;
    unsigned b = status;
    return !(a - b);
}
