// expect: refuted
extern int get(void);
extern void put(int);

volatile int port;
int main(void) {
    port = 1;
    return 0;
}
