// States told apart by nothing but what the program's own function writes (dpor_abstraction_all): not by where threads
// stand. Two threads count their turns for ever, and mark when they are in the middle of one.
// right, exact: the bytes say who is in the middle, and whether the second thread exists, from which follows where both
//   stand: the state before it exists, and 2 x 2 states with it.
// wrong: an invariant does not hold.
// too_little: the bytes say whether somebody is in the middle. Where both are, no step leads out of it.
// walked: the bytes leave out whether the second thread exists, so that the state behind the first step is taken for the
//   first. It is no sample; a walk meets a state that was not explored.
//@ revisions: right exact wrong too_little walked
//@[right] args: --states --max-states 100000 --check-abstraction 1
//@[exact] args: --states=exact --max-states 100000 --check-abstraction 1
//@[wrong] args: --states --max-states 100000
//@[too_little] args: --states --max-states 100000 --check-abstraction 1
//@[walked] args: --states --max-states 100000 --check-abstraction 1000
//@ checkpoint: snapshot
//@ parts: no
//@ opt: O0 O2
//@[right] expect: verified
//@[exact] expect: verified
//@[wrong] expect: bug
//@[wrong] kind: invariant
//@[wrong] cflags: -DWRONG
//@[too_little] expect: incomplete
//@[too_little] cflags: -DTOO_LITTLE
//@[too_little] reason: two states that it does not tell apart go on differently
//@[walked] expect: incomplete
//@[walked] cflags: -DWALKED
//@[walked] reason: two states that it does not tell apart go on differently
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int middle[2];
static int exists, turns[2];

#ifdef WRONG
DPOR_INVARIANT(one_in_the_middle, middle[0] + middle[1] <= 1)
#endif

static void what_decides(void *into) {
    int *words = into;
#ifdef TOO_LITTLE
    words[0] = middle[0] | middle[1];
#else
    words[0] = middle[0];
    words[1] = middle[1];
#endif
#ifndef WALKED
    words[2] = exists;
#endif
}

static void work(int me) {
    for (;;) {
        atomic_store(&middle[me], 1);
        turns[me]++;
        atomic_store(&middle[me], 0);
    }
}

static void *second(void *unused) {
    work(1);
    return unused;
}

int main(void) {
    pthread_t thread;
    dpor_abstraction_all(3 * sizeof(int), what_decides);
    pthread_create(&thread, 0, second, 0);
    exists = 1;
    work(0);
}
