// A product that does not change is computed before the loop.
extern int get(void);
extern void put(int);

int main(void) {
    int a = get();
    for (int i = 0; i < 3; i++)
        put(a * 4 + i);
    return 0;
}
