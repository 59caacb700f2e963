// Each of two threads kills the process before its first operation: in steps that are no events. Their
// ends are events that conflict with everything, so there are three traces: the first thread ends the
// process before the second is created, or one of the two does afterwards.
//@ expect: bug
//@ kind: process-death
//@ note: the process died 2 times
//@ args: -k
//@ executions: 0
//@ failed: 3
#include <pthread.h>
#include <string.h>

// Where the checker's heap begins.
static char *const heap = (char *)0x80000000000;

static void *work(void *unused) {
    memset(heap, 0x41, 400); //~ process-death
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, work, 0);
    pthread_create(&threads[1], 0, work, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
