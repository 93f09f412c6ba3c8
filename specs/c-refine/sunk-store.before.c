// A store leaves the loop; nobody reads it inside.
extern int get(void);
extern void put(int);

int g;
int main(void) {
    int n = get();
    for (int i = 0; i < n; i++)
        g = i;
    put(g);
    return 0;
}
