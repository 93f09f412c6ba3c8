// How the program stops is seen.
extern int get(void);
extern void put(int);
extern void exit(int);

int main(void) {
    if (get())
        exit(1);
    return 0;
}
