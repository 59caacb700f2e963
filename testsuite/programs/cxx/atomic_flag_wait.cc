// std::atomic_flag::wait, and that of an atomic that is no int: the waiter waits for a version
// number, which the notification counts up.
// The waiter counts itself in (I), reads the version (V), looks at the flag (L), asks the kernel if it
// is not set (F, compares the version), looks again, counts itself out (O). The other thread sets the
// flag (S), counts the version up (U), looks whether anybody is counted in (R), wakes if so.
// S before L: R before I (then U is before V): 1; R between I and O, or after O: V before or after U,
// 2 each: 5. L before S: V is before U. U before F: R between I and O, or after O: 2. F before U: 1.
// 8 in all.
//@ revisions: flag narrow
//@[narrow] cflags: -std=c++20 -DNARROW
//@[flag] cflags: -std=c++20
//@ opt: O0 O2
//@ expect: verified
//@ executions: 8
#include <atomic>
#include <thread>

#ifdef NARROW
static std::atomic<bool> flag;
static void set() { flag.store(true, std::memory_order_release); }
#else
static std::atomic_flag flag;
static void set() { flag.test_and_set(std::memory_order_release); }
#endif
static int message;

int main() {
    std::thread thread([] {
        message = 7;
        set();
        flag.notify_all();
    });
    flag.wait(false, std::memory_order_acquire);
    int seen = message;
    thread.join();
    return seen == 7 ? 0 : 1;
}
