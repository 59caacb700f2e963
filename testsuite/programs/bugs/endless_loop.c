// A loop that reads and writes nothing shared and never ends: the state repeats.
//@ expect: bug
//@ kind: endless-loop
//@ args: --step-limit=0.3
//@ opt: O0 O2
#include <pthread.h>

static void *work(void *unused) {
    for (;;) { //~ endless-loop
        __asm__ volatile("" ::: "memory");
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
