// expect: refuted
// That something was pushed once is no reason.
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

#define SIZE 4
#define OVERFLOW (-1)
#define UNDERFLOW (-2)

static int top = 0;
static unsigned int arr[SIZE];
pthread_mutex_t m;
_Bool flag = 0;

void inc_top(void) { top++; }
void dec_top(void) { top--; }
int get_top(void) { return top; }
int stack_empty(void) { return (top == 0) ? 1 : 0; }

int push(unsigned int *stack, int x) {
    if (top == SIZE)
        return OVERFLOW;
    stack[get_top()] = x;
    inc_top();
    return 0;
}

int pop(unsigned int *stack) {
    if (top == 0)
        return UNDERFLOW;
    dec_top();
    return stack[get_top()];
}

void *pusher(void *arg) {
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&m);
        if (push(arr, i) == OVERFLOW)
            reach_error();
        flag = 1;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

void *popper(void *arg) {
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&m);
        if (flag) {
            if (pop(arr) == UNDERFLOW)
                reach_error();
        }
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_mutex_init(&m, 0);
    pthread_create(&t0, NULL, pusher, NULL);
    pthread_create(&t1, NULL, popper, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
