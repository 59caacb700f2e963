// std::atomic's compare-exchange gets the address of a local variable, in which it leaves what it found. By hand: one of
// the two threads is first (2). Without optimization the exchange is in a function; the second thread tries in vain, and
// then waits, or waits until it can try with success: 4. With it the exchange itself waits: 2.
//@ expect: verified
//@ revisions: strong strong_built weak weak_built flag flag_built
//@[strong] executions: 4
//@[strong] opt: O0
//@[strong_built] executions: 2
//@[strong_built] opt: O1 O2
//@[weak] cflags: -DWEAK
//@[weak] executions: 4
//@[weak] opt: O0
//@[weak_built] cflags: -DWEAK
//@[weak_built] executions: 2
//@[weak_built] opt: O1 O2
//@[flag] cflags: -DTYPE=bool
//@[flag] executions: 4
//@[flag] opt: O0
//@[flag_built] cflags: -DTYPE=bool
//@[flag_built] executions: 2
//@[flag_built] opt: O1 O2
//@ args: --reductions=none
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
