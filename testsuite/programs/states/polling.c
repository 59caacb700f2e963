// A loop that waits with poll, woken through a pipe as event loops are. *wrong*: it forgets what is pending after it has
// looked, not before it reads.
//@ revisions: right wrong
//@ args: --states --max-states 100000
//@ checkpoint: snapshot
//@ parts: no
//@ opt: O0 O2
//@[right] expect: verified
//@[wrong] expect: bug
//@[wrong] kind: deadlock
//@[wrong] cflags: -DWRONG
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int wake[2], done[2];
static atomic_int pending, work;

static void *loop(void *unused) {
    for (;;) {
        struct pollfd entry = {wake[0], POLLIN, 0};
        char c;
        poll(&entry, 1, -1);
        read(wake[0], &c, 1);
#ifndef WRONG
        pending = 0;
#endif
        while (atomic_exchange(&work, 0))
            write(done[1], "x", 1);
#ifdef WRONG
        pending = 0;
#endif
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pipe(wake);
    pipe(done);
    pthread_create(&thread, 0, loop, 0);
    for (;;) {
        char c;
        work = 1;
        if (!atomic_exchange(&pending, 1))
            write(wake[1], "x", 1);
        read(done[0], &c, 1);
    }
}
