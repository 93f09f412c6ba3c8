// A check that can fail is kept.
extern int get(void);
extern void put(int);
extern void abort(void);

int main(void) {
    int x = get();
    if (x == 7)
        abort();
    put(x);
    return 0;
}
