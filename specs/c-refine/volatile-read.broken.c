// expect: refuted
extern int get(void);
extern void put(int);

volatile int status;
int main(void) {
    int a = status;
    return 1;
}
