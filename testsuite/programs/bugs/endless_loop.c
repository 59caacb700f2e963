// A loop that reads and writes nothing shared and never ends: the state repeats. [call] The same with a call in it.
//@ revisions: assembly call
//@[call] cflags: -DCALL
//@ expect: bug
//@ kind: endless-loop
//@ args: --step-limit=0.3
//@ opt: O0 O2
#include <pthread.h>

#ifdef CALL
__attribute__((noinline)) static void nothing(void) {
    __asm__ volatile("" ::: "memory");
}
#endif

static void *work(void *unused) {
    for (;;) { //~[assembly] endless-loop
#ifdef CALL
        nothing();
#else
        __asm__ volatile("" ::: "memory");
#endif
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
