// The last thing that main does tells another thread to send it a signal. Until the process has ended, the handler may
// run: main looks for signals once more before its last step, whichever that is. The sender may come too early ("nothing
// stored": no signal), so that there are both outputs in every revision.
//
// returns, calls, quick: main returns, calls exit, or _exit. run, ends: the same with the other ways in which main's
// return ends a program. handlers: what tells the sender is the last handler of exit. other: the thread that ends the
// process is not main. fatal: there is no handler, and the signal ends the process, which is a bug.
//@ revisions: returns calls quick run ends handlers other fatal
//@ opt: O0 O2
//@ dfs: same-outcomes
//@[returns] expect: verified
//@[returns] outputs: |handled
//@[calls] expect: verified
//@[calls] outputs: |handled
//@[quick] expect: verified
//@[quick] outputs: |handled
//@[run] expect: verified
//@[run] outputs: |handled
//@[ends] expect: verified
//@[ends] outputs: |handled
//@[handlers] expect: verified
//@[handlers] outputs: |handled
//@[other] expect: verified
//@[other] outputs: |handled
//@[returns] kind: main-exits-early
//@[calls] cflags: -DCALLS
//@[calls] kind: main-exits-early
//@[quick] cflags: -DQUICK
//@[run] args: --main-return=run
//@[run] kind: main-exits-early
//@[ends] args: --main-return=exit
//@[handlers] cflags: -DHANDLERS
//@[handlers] kind: main-exits-early
//@[other] cflags: -DOTHER
//@[fatal] cflags: -DFATAL
//@[fatal] expect: bug
//@[fatal] kind: main-exits-early crash
//@[fatal] message: signal 10, which nobody handles, ends the process
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int stored;
static pthread_t ends;

static void handler(int signal) {
    (void)signal;
    write(1, "handled", 7);
}

static void *sender(void *unused) {
    if (atomic_load(&stored)) pthread_kill(ends, SIGUSR1);
    return unused;
}

static void store(void) { atomic_store(&stored, 1); }

static void *leaver(void *unused) {
    store();
    exit(0);
    return unused;
}

int main(void) {
    pthread_t thread;
#ifndef FATAL
    signal(SIGUSR1, handler);
#endif
    ends = pthread_self();
#ifdef OTHER
    pthread_create(&ends, 0, leaver, 0);
    sender(0);
    pthread_join(ends, 0);
#else
    pthread_create(&thread, 0, sender, 0);
    pthread_detach(thread);
#endif
#ifdef HANDLERS
    atexit(store);
#else
    store();
#endif
#if defined CALLS
    exit(0);
#elif defined QUICK
    _exit(0);
#else
    return 0;
#endif
}
