// The right side is called only where the left one does not decide.
extern int get(void);
extern void put(int);

int main(void) {
    if (get() && get())
        put(1);
    return 0;
}
