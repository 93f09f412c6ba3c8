// expect: refuted
// Two clerks pay into one account, each three times; reading and writing are two steps. An update is lost.
#include <assert.h>
#include <pthread.h>

int account;

void *clerk(void *arg) {
    for (int i = 0; i < 3; i++) {
        int before = account;
        account = before + 100;
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, clerk, 0);
    pthread_create(&b, 0, clerk, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(account == 600);
    return 0;
}
