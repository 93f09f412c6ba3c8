// Calls stay in their order, with their arguments.
extern int get(void);
extern void put(int);

int main(void) {
    put(1);
    put(2);
    return 0;
}
