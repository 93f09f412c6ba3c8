// expect: refuted
// options: --function f
// A store comes behind the call: others may look before, and may have written.
#include <stdlib.h>

struct message { int kind, length; };
void publish(struct message *m);

int f(int a)
{
    struct message *m = malloc(sizeof *m);
    m->length = a;
    publish(m);
    m->kind = 1;
    return a;
}
