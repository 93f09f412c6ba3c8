// What is returned is seen.
extern int get(void);
extern void put(int);

int main(void) {
    int x = get();
    return x > 0 ? x : -x;
}
