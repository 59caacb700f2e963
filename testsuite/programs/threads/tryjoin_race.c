// A tryjoin that fails orders nothing: what main reads then may be written meanwhile.
//@ expect: bug
//@ kind: data-race
#define _GNU_SOURCE
#include <pthread.h>

int written;

static void *work(void *argument) {
    written = 1; //~ race
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int seen = pthread_tryjoin_np(thread, 0) ? written : 1; //~ race
    if (!seen) pthread_join(thread, 0);
    return 0;
}
