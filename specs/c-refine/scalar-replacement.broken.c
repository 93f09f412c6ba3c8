// expect: refuted
extern int get(void);
extern void put(int);

int main(void) {
    int x = get();
    put(x);
    return x;
}
