// expect: proved
extern int get(void);
extern void put(int);

volatile int port;
int main(void) {
    int one = 1;
    port = one;
    port = one;
    return 0;
}
