// expect: refuted
extern int get(void);
extern void put(int);

int main(void) {
    put(2);
    put(1);
    return 0;
}
