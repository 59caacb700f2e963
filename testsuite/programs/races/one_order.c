// Plain accesses that race are made in one order; what the other orders do is not known, and the verdict
// says so where races are no bugs.
//
// counter: two threads read and write the counter, R1 W1 and R2 W2, and main wants 2. As events they have
// 6 interleavings, in which R1 and R2 next to each other come either way: 4 traces, R1 W1 R2 W2 and
// R2 W2 R1 W1 with 2 at the end, R1 R2 W1 W2 and R1 R2 W2 W1 with 1. As no events: 1 trace.
// message: the writer sets data, then flag; the reader looks at flag, and at data if it is set. The reader's
// look comes before the flag or behind it: 2 traces as events, and in both the data is there.
//@ revisions: counter_warn counter_off counter_all counter_explored message_warn message_off message_explored
//@ opt: O0 O2
//@[counter_warn] args: --races=warn
//@[counter_warn] expect: incomplete
//@[counter_warn] reason: races, and plain accesses in one order only (--plain=explore)
//@[counter_warn] kind: data-race
//@[counter_warn] executions: 1
//@[counter_off] args: --races=off
//@[counter_off] expect: verified
//@[counter_off] executions: 1
//@[counter_all] args: -k --races=warn --plain=explore
//@[counter_all] expect: bug
//@[counter_all] kind: data-race assertion
//@[counter_all] executions: 2
//@[counter_all] failed: 2
//@[counter_explored] args: -k --races=off --plain=explore
//@[counter_explored] expect: bug
//@[counter_explored] kind: assertion
//@[counter_explored] executions: 2
//@[counter_explored] failed: 2
//@[message_warn] args: --races=warn
//@[message_warn] cflags: -DMESSAGE
//@[message_warn] expect: incomplete
//@[message_warn] reason: races, and plain accesses in one order only (--plain=explore)
//@[message_warn] kind: data-race
//@[message_warn] executions: 1
//@[message_off] args: --races=off
//@[message_off] cflags: -DMESSAGE
//@[message_off] expect: verified
//@[message_off] executions: 1
//@[message_explored] args: --races=off --plain=explore
//@[message_explored] cflags: -DMESSAGE
//@[message_explored] expect: verified
//@[message_explored] executions: 2
#include <assert.h>
#include <pthread.h>

#ifdef MESSAGE
static int data, flag;
static void *first(void *unused) {
    data = 1;
    __asm__ volatile("" ::: "memory");
    flag = 1;
    return unused;
}
static void *second(void *unused) {
    if (flag) {
        __asm__ volatile("" ::: "memory");
        assert(data == 1);
    }
    return unused;
}
#define WANTED (flag && data)
#else
static int counter;
static void *first(void *unused) {
    counter++;
    return unused;
}
static void *second(void *unused) {
    counter++;
    return unused;
}
#define WANTED (counter == 2)
#endif

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(WANTED);
    return 0;
}
