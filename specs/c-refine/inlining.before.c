// A call of a function of the file is replaced by it.
extern int get(void);
extern void put(int);

static int twice(int x) { return x + x; }
int main(void) {
    put(twice(get()));
    return 0;
}
