// expect: refuted
extern int get(void);
extern void put(int);
extern void exit(int);

int main(void) {
    if (get())
        exit(2);
    return 0;
}
