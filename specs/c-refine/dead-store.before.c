// A store that another one overwrites is left out.
extern int get(void);
extern void put(int);

int g;
int main(void) {
    g = get();
    g = 2;
    put(g);
    return g;
}
