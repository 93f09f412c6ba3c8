// expect: proved
extern int get(void);
extern void put(int);

volatile int data, ready;
int main(void) {
    int x = get();
    data = x;
    ready = 1;
    return 0;
}
