//! A control word in recycled memory is a new one, also for a thread that met the end of the old one.
//!
//! Main runs a routine with a control in a block, makes it new and hands it to a thread. Whether main
//! or the thread runs the routine the second time is open: 2.
//@ expect: verified
//@ executions: 2
//@ outcomes: by=1 *1 | by=2 *1
//@ opt: O0 O2
#include <dpor.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_once_t *control;
static __thread int self = 2;
static int by;

static void routine(void) {
    by = self;
}

static void *other(void *unused) {
    pthread_once(control, routine);
    return 0;
}

static void *nothing(void *unused) {
    return 0;
}

static const pthread_once_t fresh = PTHREAD_ONCE_INIT;

int main(void) {
    pthread_t thread;
    self = 1;
    // From here on calls are events.
    pthread_create(&thread, 0, nothing, 0);
    pthread_join(thread, 0);
    control = malloc(sizeof *control);
    *control = fresh;
    pthread_once(control, routine);
    pthread_once(control, routine);
    free(control);
    control = malloc(sizeof *control);
    *control = fresh;
    pthread_create(&thread, 0, other, 0);
    pthread_once(control, routine);
    pthread_join(thread, 0);
    dpor_observe("by", by);
    return 0;
}
