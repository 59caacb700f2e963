// Exit handlers run while threads run: whether one sees what a thread does depends on the order, whichever way the
// process ends. The load of the handler comes before the store or after it: 2 executions.
//
// thread: a thread calls exit while main waits for another for ever.
//@ revisions: returns calls quick thread
//@[calls] cflags: -DEND=exit(0)
//@[quick] cflags: -DEND=quick_exit(0)
//@[thread] cflags: -DTHREAD -DEND=pthread_join(ender,0)
//@ opt: O0 O2
//@ expect: verified
//@[returns] kind: main-exits-early
//@[calls] kind: main-exits-early
//@[quick] kind: main-exits-early
//@ executions: 2
//@ outcomes: done=0 | done=1
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef END
#define END return 0
#endif

static atomic_int done;

static void *work(void *unused) {
    atomic_store(&done, 1);
    return unused;
}

static void *end(void *unused) {
    exit(0);
    return unused;
}

static void see(void) { dpor_observe("done", atomic_load(&done)); }

int main(void) {
    pthread_t thread, ender;
    atexit(see);
    at_quick_exit(see);
    pthread_create(&thread, 0, work, 0);
    pthread_detach(thread);
#ifdef THREAD
    pthread_create(&ender, 0, end, 0);
#endif
    (void)ender;
    (void)end;
    END;
}
