// A switch becomes a table.
extern int get(void);
extern void put(int);

int main(void) {
    int x = get();
    int r;
    switch (x) {
    case 0: r = 5; break;
    case 1: r = 7; break;
    case 2: r = 6; break;
    default: r = 0;
    }
    put(r);
    return 0;
}
