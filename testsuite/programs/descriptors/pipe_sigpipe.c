// The reader may close before the other thread writes: then SIGPIPE ends the process. The write may
// come before the close, which is clean: 1 complete execution. After it, the end of the process comes
// before or after the second half of closing, in which the descriptor becomes free: 2 failed ones.
//@ expect: bug
//@ kind: crash
//@ executions: 1
//@ failed: 2
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
