// The reader may close before the other thread writes: then SIGPIPE ends the process. Events: close
// and write on one pipe, two orders; the one that writes first is clean, 1 complete execution, 1 failed.
//@ expect: bug
//@ kind: crash
//@ executions: 1
//@ failed: 1
//@ message: SIGPIPE
//@ args: -k
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused) {
    write(ends[1], "x", 1); //~ crash
    return unused;
}

int main(void) {
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, 0, writer, 0);
    close(ends[0]);
    pthread_join(thread, 0);
    return 0;
}
