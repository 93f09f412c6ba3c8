// expect: refuted
extern int get(void);
extern void put(int);

volatile unsigned status;
int main(void) {
    unsigned a = status;
    return 1;
}
