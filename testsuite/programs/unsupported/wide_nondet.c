// An int has too many values to try them all.
//@ expect: unsupported
//@ reason: nondet
#include <pthread.h>

int __VERIFIER_nondet_int(void);

static void *work(void *unused) {
    if (__VERIFIER_nondet_int() == 3) return 0;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
