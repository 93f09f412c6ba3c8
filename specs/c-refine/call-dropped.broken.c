// expect: refuted
extern int get(void);
extern void put(int);

int main(void) {
    get();
    return 0;
}
