// expect: proved
extern int get(void);
extern void put(int);
extern void abort(void);

int main(void) {
    int x = get();
    if (x != 7) {
        put(x);
        return 0;
    }
    abort();
}
