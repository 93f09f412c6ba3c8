// expect: refuted
extern int get(void);
extern void put(int);

int main(void) {
    int c = get(), n = get();
    if (c)
        for (int i = 0; i < n; i++)
            put(i);
    return 0;
}
