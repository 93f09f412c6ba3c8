// A product in a loop becomes a sum.
extern int get(void);
extern void put(int);

int main(void) {
    int n = get();
    for (int i = 0; i != n; i++)
        put(i * 4);
    return 0;
}
