// C++'s loops that wait, with its yield: functions that return what others return. Without optimization the store
// comes before the first look, 1 execution, or after it, and the thread goes no further, 1 blocked; with it what looks is
// one access, which waits, 1.
// [exchange] The flag is taken away as well, by a compare-exchange that puts what it found into a local variable.
// Without optimization turns in vain come twice, as in exchange.cc with `weak`: 2 executions, and 1 blocked.
// Counted by brute force, too: testsuite/tests/suite/waiting_for_others.rs.
//@ expect: verified
//@ args: --reductions=none
//@ revisions: load inlined exchange exchange_inlined
//@[load] executions: 1
//@[load] blocked: 1
//@[load] opt: O0
//@[inlined] executions: 1
//@[inlined] opt: O1 O2
//@[exchange] executions: 2
//@[exchange] blocked: 1
//@[exchange] opt: O0
//@[exchange] cflags: -DEXCHANGE
//@[exchange_inlined] executions: 1
//@[exchange_inlined] opt: O2
//@[exchange_inlined] cflags: -DEXCHANGE
#include <atomic>
#include <thread>

static std::atomic<int> flag;
static int data;

int main() {
    std::thread thread([] {
        data = 1;
        flag.store(1, std::memory_order_release);
    });
#ifdef EXCHANGE
    for (int one = 1; !flag.compare_exchange_strong(one, 2, std::memory_order_acquire); one = 1) {
        std::this_thread::yield();
    }
#else
    while (!flag.load(std::memory_order_acquire)) std::this_thread::yield();
#endif
    int seen = data;
    thread.join();
    return seen != 1;
}
