// Sums of unsigned numbers may be ordered otherwise.
extern int get(void);
extern void put(int);

int main(void) {
    unsigned a = get(), b = get();
    put((a + b) - a);
    return 0;
}
