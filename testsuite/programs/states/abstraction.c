// States told apart by the program's own function (dpor_abstraction), in loops that count their turns for ever.
// right: two threads take a lock in turns and count; what decides is who was last, 8 bytes with what is inside.
// wrong: the lock is not taken, so that two are inside.
// too_little: the abstraction leaves out the number by which it is decided who was last.
// writes: the function writes to memory.
//@ revisions: right wrong too_little writes
//@ args: --states --max-states 100000 --check-abstraction 1
//@ checkpoint: snapshot
//@ parts: no
//@ opt: O0 O2
//@[right] expect: verified
//@[wrong] expect: bug
//@[wrong] kind: data-race
//@[wrong] cflags: -DWRONG
//@[too_little] expect: incomplete
//@[too_little] cflags: -DTOO_LITTLE
//@[too_little] reason: two states that it does not tell apart go on differently
//@[writes] expect: unsupported
//@[writes] cflags: -DWRITES
//@[writes] reason: the function of dpor_abstraction writes to memory
#include <dpor.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int inside;
static int last, turns;
#ifdef TOO_LITTLE
static int hidden;
#endif

DPOR_INVARIANT(alone, inside <= 1)

static void what_decides(void *into) {
    int *words = into;
    words[0] = inside;
    words[1] = last;
#ifdef WRITES
    turns = 0;
#endif
}

static void *work(void *me) {
    for (;;) {
#ifndef WRONG
        pthread_mutex_lock(&mutex);
#endif
        inside++;
        last = me != 0;
        turns++;
#ifdef TOO_LITTLE
        hidden = (hidden + 1) % 3;
        last = hidden == 2;
#endif
        inside--;
#ifndef WRONG
        pthread_mutex_unlock(&mutex);
#endif
    }
}

int main(void) {
    pthread_t thread;
    dpor_abstraction(2 * sizeof(int), what_decides);
    pthread_create(&thread, 0, work, 0);
    work(&mutex);
}
