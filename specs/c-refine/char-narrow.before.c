// A conversion to a narrow type is kept.
extern int get(void);
extern void put(int);

int main(void) {
    unsigned char c = get();
    put(c);
    return 0;
}
