// Reads of a volatile variable are not joined.
extern int get(void);
extern void put(int);

volatile int status;
int main(void) {
    int a = status;
    int b = status;
    return a == b;
}
