// expect: proved
// options: --function f
// The stores before are in another order, and one of them is left out.
#include <stdlib.h>

struct message { int kind, length; };
void publish(struct message *m);

int f(int a)
{
    struct message *new = malloc(sizeof *new);
    new->kind = 1;
    new->length = a;
    publish(new);
    return new ? a : 0;
}
