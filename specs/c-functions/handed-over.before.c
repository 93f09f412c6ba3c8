// A fresh object is nobody else's until its address is handed over.
#include <stdlib.h>

struct message { int kind, length; };
void publish(struct message *m);

int f(int a)
{
    struct message *m = malloc(sizeof *m);
    m->kind = 0;
    m->length = a;
    m->kind = 1;
    publish(m);
    return a;
}
