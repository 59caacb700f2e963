// Main leaves by pthread_exit while a thread runs: the process ends with the last thread.
// Nobody joined or detached that: a warning.
//@ expect: verified
//@ kind: thread-misuse
//@ executions: 1
//@ outputs: last\n
#include <pthread.h>
#include <stdio.h>

static void *work(void *unused) {
    puts("last");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_exit(0);
}
