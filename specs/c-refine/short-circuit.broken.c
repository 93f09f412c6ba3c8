// expect: refuted
extern int get(void);
extern void put(int);

int main(void) {
    int a = get(), b = get();
    if (a && b)
        put(1);
    return 0;
}
