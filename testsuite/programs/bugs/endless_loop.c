// A loop that reads and writes nothing shared and never ends: the state repeats. [call] The same with a call in it, all on
// one line, since it is chance where in the loop it is noticed.
//@ revisions: assembly call
//@[call] cflags: -DCALL
//@ expect: bug
//@ kind: endless-loop
//@ args: --step-limit=0.3
//@ opt: O0 O2
#include <pthread.h>

#define NOTHING __asm__ volatile("" ::: "memory")

#ifdef CALL
// clang-format off
__attribute__((noinline)) static void nothing(void) { NOTHING; } static void *work(void *unused) { for (;;) nothing(); return unused; } //~[call] endless-loop
// clang-format on
#else
static void *work(void *unused) {
    for (;;) { //~[assembly] endless-loop
        NOTHING;
    }
    return unused;
}
#endif

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
