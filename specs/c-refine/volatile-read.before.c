// Reads of a volatile variable are not joined.
extern int get(void);
extern void put(int);

volatile unsigned status;
int main(void) {
    unsigned a = status;
    unsigned b = status;
    return a == b;
}
