// A load gets the value that was stored.
extern int get(void);
extern void put(int);

int g;
int main(void) {
    int x = get();
    g = x + 1;
    put(g);
    return g;
}
