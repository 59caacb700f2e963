// A function of libc that no table lists, called by a function that is not instrumented: then only
// the system call is the event, in the midst of libc, which holds a lock there. The other thread
// finds it locked and would wait for ever, as both are fibers of one thread: said, by name, never a
// hang. Called by the program itself, the whole call is the event, and nobody meets the lock: both
// orders, 2 executions.
//@ revisions: unseen direct
//@[direct] cflags: -DDIRECT
//@[unseen] expect: unsupported
//@[unseen] reason: a wait on a futex
//@[direct] expect: verified
//@[direct] executions: 2
//@[direct] outcomes: main=1 thread=2 *1 | main=2 thread=1 *1
//@ stdin: a:b:1:1:c:d:e\nf:g:2:2:h:i:j\n
//@ seconds: 20
#include <dpor.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>

#ifndef DIRECT
__attribute__((noinline, disable_sanitizer_instrumentation))
#endif
static int entry(void) {
    struct passwd *found = fgetpwent(stdin);
    return found ? (int)found->pw_uid : -1;
}

static int got;

static void *reader(void *unused) {
    got = entry();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    dpor_observe("main", entry());
    pthread_join(thread, 0);
    dpor_observe("thread", got);
    return 0;
}
