// A test that does not change leaves the loop.
extern int get(void);
extern void put(int);

int main(void) {
    int c = get(), n = get();
    for (int i = 0; i < n; i++)
        if (c)
            put(i);
        else
            put(-i);
    return 0;
}
