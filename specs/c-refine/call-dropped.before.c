// A call is not left out.
extern int get(void);
extern void put(int);

int main(void) {
    put(get());
    return 0;
}
