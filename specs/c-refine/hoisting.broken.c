// expect: refuted
extern int get(void);
extern void put(int);

int main(void) {
    int a = get();
    int t = a * 4;
    for (int i = 0; i < 3; i++)
        put(t);
    return 0;
}
