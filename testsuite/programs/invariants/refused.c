// What an invariant must not do. (That it changes memory is seen where snapshots tell which pages were written.)
//@ revisions: writes locks allocates faults chooses
//@ opt: O0
//@ checkpoint: snapshot
//@ expect: unsupported
//@[writes] cflags: -DWHAT=(other=1)
//@[writes] reason: invariant wrong writes to memory at
//@[locks] cflags: -DWHAT=(pthread_mutex_lock(&mutex)==0)
//@[locks] reason: invariant wrong changes memory
//@[allocates] cflags: -DWHAT=(malloc(8)!=0)
//@[allocates] reason: invariant wrong changes memory
//@[faults] cflags: -DWHAT=(*(volatile_int*)8L==0)
//@[faults] reason: invariant wrong faults at
//@[chooses] cflags: -DWHAT=(dpor_choose(2)==0)
//@[chooses] reason: invariant wrong begins what needs the search
#include "dpor.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int other;
typedef volatile int volatile_int;

DPOR_INVARIANT(wrong, WHAT)

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    (void)other;
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
