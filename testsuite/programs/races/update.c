// A read and a write of one place next to each other, of which the pass tells at once: the write races with another
// thread's read. First: nothing else was accessed before in the thread's step. Later: something was. Wide: what the
// other thread reads is the last byte. Again: the place was only read before, which is no write yet.
//
// Nothing orders the two: of their orders one is run.
//@ revisions: first later wide again
//@ expect: bug
//@ kind: data-race
//@ message: on value
//@ opt: O1 O2
//@[first] cflags: -DTYPE=int
//@[later] cflags: -DTYPE=short -DLATER
//@[wide] cflags: -DTYPE=__int128
//@[again] cflags: -DTYPE=long -DAGAIN
#include <pthread.h>

TYPE value;
char other;
volatile int sink;

static void *update(void *unused) {
#ifdef LATER
    other = 2;
#endif
#ifdef AGAIN
    if (value == 3)
        other = 1;
#endif
    __asm__ volatile("" ::: "memory");
    value += 5;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, update, 0);
    sink = ((char *)&value)[sizeof value - 1];
    pthread_join(thread, 0);
    return 0;
}
