// expect: proved
extern int get(void);
extern void put(int);

int g;
int main(void) {
    get();
    g = 2;
    put(g);
    return g;
}
