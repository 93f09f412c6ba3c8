// A write of one volatile variable does not overtake that of another one.
extern int get(void);
extern void put(int);

volatile int data, ready;
int main(void) {
    data = get();
    ready = 1;
    return 0;
}
