// expect: refuted
extern int get(void);
extern void put(int);

int g;
int main(void) {
    g = get();
    put(g);
    return g;
}
