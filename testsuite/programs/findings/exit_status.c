// Exit statuses that are no finding. The process ends with what main read of x, 0 or 3, by the order of two accesses:
// 2 executions.
// *wanted*: both are as they should be. *any*: likewise. *other*: 3 is still a finding where 4 is wanted.
// *alone*, *alone_other*: the same of a program that never has a second thread, which is run once, as it is.
// *abort*: no exit status. Whatever is wanted, a process that aborts is a finding.
//@ revisions: wanted any other alone alone_other abort
//@ expect: verified
//@ executions: 2
//@ opt: O0 O1 O2
//@[wanted] args: --exit-status=3 --exit-status 4
//@[any] args: --exit-status any
//@[other] args: -k --exit-status 4
//@[other] expect: bug
//@[other] kind: nonzero-exit
//@[other] executions: 1
//@[other] failed: 1
//@[alone] cflags: -DALONE
//@[alone] args: --exit-status 1,3
//@[alone] executions: 1
//@[alone_other] cflags: -DALONE
//@[alone_other] args: --exit-status 1,2
//@[alone_other] expect: bug
//@[alone_other] kind: nonzero-exit
//@[alone_other] executions: 0
//@[alone_other] failed: 1
//@[alone_other] replay: no
//@[abort] cflags: -DABORT
//@[abort] args: -k --exit-status any
//@[abort] expect: bug
//@[abort] kind: abort
//@[abort] executions: 1
//@[abort] failed: 1
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

atomic_int x;

static void *writer(void *unused) {
    atomic_store(&x, 3);
    return unused;
}

int main(void) {
#ifdef ALONE
    writer(NULL);
    return atomic_load(&x);
#else
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    int found = atomic_load(&x);
    pthread_join(thread, NULL);
#ifdef ABORT
    if (found) abort();
#endif
    return found;
#endif
}
