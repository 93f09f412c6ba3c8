// A loop waits for a volatile variable; the read is not hoisted.
extern int get(void);
extern void put(int);

volatile int ready;
int main(void) {
    while (!ready)
        ;
    put(1);
    return 0;
}
