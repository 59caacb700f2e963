// Nobody writes, and the end for writing stays open: the reader waits for ever.
//@ expect: bug
//@ kind: deadlock
//@ executions: 0
//@ deadlocked: 1
//@ message: thread 1 waits for something to read
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *unused) {
    char byte;
    read(ends[0], &byte, 1); //~ deadlock
    return unused;
}

int main(void) {
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, 0, reader, 0);
    pthread_join(thread, 0);
    return 0;
}
