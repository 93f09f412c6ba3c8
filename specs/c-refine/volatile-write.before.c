// Writes of a volatile variable stay, all of them.
extern int get(void);
extern void put(int);

volatile int port;
int main(void) {
    port = 1;
    port = 1;
    return 0;
}
