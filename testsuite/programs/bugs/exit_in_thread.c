// exit(7) in a thread while main waits for it: the process ends with 7.
//@ expect: bug
//@ kind: nonzero-exit
//@ message: 7
#include <pthread.h>
#include <stdlib.h>

static void *work(void *unused) {
    exit(7);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
