// A structure that nobody else knows becomes two variables.
extern int get(void);
extern void put(int);

struct p { int x, y; };
int main(void) {
    struct p a = {get(), 0};
    a.y = a.x + 1;
    put(a.y);
    return a.x;
}
