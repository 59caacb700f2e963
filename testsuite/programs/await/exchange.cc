// std::atomic's compare-exchange gets the address of a local variable, in which it leaves what it found. By hand: one of
// the two threads is first (2). Without optimization the exchange is in a function: the second thread tries behind the
// first one's store of 0, with success, 2 executions, or before it, and goes no further: 2 are blocked. With it the
// exchange itself waits: 2. [weak] It only acquires: its store, in relaxed order, orders nothing for who reads it. As a
// turn also reads plainly (a local variable whose address a function got), turns in vain come twice then. The store of 0 comes before the first or the second try, 4 executions, or behind both,
// 2 blocked. [every_turn] Behind a try in vain the second thread waits for the store, and goes on: 4.
// Counted by brute force, too: testsuite/tests/suite/waiting_for_others.rs.
//@ expect: verified
//@ revisions: strong strong_built weak weak_built flag flag_built every_turn
//@[strong] executions: 2
//@[strong] blocked: 2
//@[strong] opt: O0
//@[strong_built] executions: 2
//@[strong_built] opt: O1 O2
//@[weak] cflags: -DWEAK
//@[weak] executions: 4
//@[weak] blocked: 2
//@[weak] opt: O0
//@[weak_built] cflags: -DWEAK
//@[weak_built] executions: 2
//@[weak_built] opt: O1 O2
//@[flag] cflags: -DTYPE=bool
//@[flag] executions: 2
//@[flag] blocked: 2
//@[flag] opt: O0
//@[flag_built] cflags: -DTYPE=bool
//@[flag_built] executions: 2
//@[flag_built] opt: O1 O2
//@[strong] args: --reductions=none
//@[strong_built] args: --reductions=none
//@[weak] args: --reductions=none
//@[weak_built] args: --reductions=none
//@[flag] args: --reductions=none
//@[flag_built] args: --reductions=none
//@[every_turn] args: --reductions=none,every-turn
//@[every_turn] executions: 4
//@[every_turn] opt: O0
#include <atomic>
#include <thread>

#ifndef TYPE
#define TYPE int
#endif

static std::atomic<TYPE> taken{0};
static int count;

static void take() {
#ifdef WEAK
    for (;;) {
        TYPE expected = 0;
        if (taken.compare_exchange_weak(expected, 1, std::memory_order_acquire)) return;
    }
#else
    TYPE expected = 0;
    while (!taken.compare_exchange_strong(expected, 1)) expected = 0;
#endif
}

static void work() {
    take();
    count++;
    taken.store(0);
}

int main() {
    std::thread one(work), two(work);
    one.join();
    two.join();
    return count != 2;
}
