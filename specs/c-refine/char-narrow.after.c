// expect: proved
extern int get(void);
extern void put(int);

int main(void) {
    int x = get();
    put((unsigned)x % 256);
    return 0;
}
