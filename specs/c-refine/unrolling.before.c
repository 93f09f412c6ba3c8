// The first round of a loop is peeled.
extern int get(void);
extern void put(int);

int main(void) {
    int n = get();
    while (n > 0) {
        put(n);
        n--;
    }
    return n;
}
