// std::atomic_flag::wait, and that of an atomic that is no int: the library's waiter sleeps on a version number, which the
// notification counts up; here it sleeps if the flag is not set, and does not read the number, which nobody else does.
// The waiter counts itself in (I), looks at the flag (L), sleeps if it is not set (F), looks again, counts itself out (O).
// The other thread sets the flag (S), counts the version up, looks whether anybody is counted in (R), wakes if so.
// S before L: R before I, between I and O, or after O: 3. L before S, F after S: R between I and O, or after O: 2. F
// before S: the waiter is counted in until it is woken: 1. 6 in all.
//@ revisions: flag narrow
//@[narrow] cflags: -std=c++20 -DNARROW
//@[flag] cflags: -std=c++20
//@ opt: O0 O2
//@ expect: verified
//@ executions: 6
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
