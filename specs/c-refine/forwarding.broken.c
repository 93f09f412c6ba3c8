// expect: refuted
extern int get(void);
extern void put(int);

int g;
int main(void) {
    int x = get();
    g = x + 1;
    put(x);
    return x + 1;
}
