// expect: refuted
extern int get(void);
extern void put(int);

int main(void) {
    put(get() + get());
    return 0;
}
