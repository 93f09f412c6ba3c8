// expect: refuted
extern int get(void);
extern void put(int);

volatile int data, ready;
int main(void) {
    int x = get();
    ready = 1;
    data = x;
    return 0;
}
