// Five seconds of computation between two events. The default limit is 2 s of CPU time: incomplete,
// with its line, and no bug. With a limit of 20 s there is one trace.
// 5e9 rounds of a chain of multiplication and addition, 4 cycles each: 5 to 10 s at 2 to 4 GHz.
//@ revisions: limited patient
//@[limited] expect: incomplete
//@[limited] reason: step limit
//@[patient] args: --step-limit 20
//@[patient] expect: verified
//@[patient] executions: 1
//@ checkpoint: snapshot
#include <pthread.h>

unsigned long sum;

static void *work(void *unused) {
    unsigned long value = 1;
    for (unsigned long i = 0; i < 5000000000; i++) {
        value = value * 3 + i;
        __asm__ volatile("" : "+r"(value)); // keeps the loop, touches no memory
    }
    sum = value;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
