// expect: proved
extern int get(void);
extern void put(int);
extern void exit(int);

int main(void) {
    int x = get();
    if (x != 0)
        exit(1);
    return 0;
}
