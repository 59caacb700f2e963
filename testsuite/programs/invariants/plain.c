// Stores to a plain variable that an invariant reads are events: what is there in the middle of a critical section is
// seen. Two sections in two orders: 2 executions. At -O2 the compiler leaves out both stores, and nothing is wrong.
//@ revisions: holds fails optimized
//@ opt: O0
//@[holds] cflags: -DMOST=1
//@[holds] expect: verified
//@[holds] executions: 2
//@[fails] cflags: -DMOST=0
//@[fails] expect: bug
//@[fails] kind: invariant
//@[optimized] opt: O2
//@[optimized] cflags: -DMOST=0
//@[optimized] expect: verified
#include "dpor.h"
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

DPOR_INVARIANT(few_inside, count <= MOST)

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    count++; //~[fails] invariant
    count--;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
