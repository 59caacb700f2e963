// dpor_checking is 1 under the checker.
//@ expect: verified
//@ executions: 1
#include <dpor.h>
#include <pthread.h>

static void *work(void *unused) {
    dpor_assert(dpor_checking() == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    dpor_yield();
    pthread_join(thread, 0);
    return 0;
}
