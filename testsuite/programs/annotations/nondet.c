// The verifiers' names, without a header: a Boolean has 2 values, and only one is assumed.
// A created thread chooses; 1 execution complete, 1 stands in the assume.
//@ expect: verified
//@ executions: 1
//@ blocked: 1
#include <pthread.h>

_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);

static void *work(void *unused) {
    __VERIFIER_assume(__VERIFIER_nondet_bool());
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
