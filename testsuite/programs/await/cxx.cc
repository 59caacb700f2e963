// The same from C++: a lock of std::atomic_flag and one of std::atomic: n! orders.
//@ revisions: flag exchange
//@ expect: verified
//@ executions: 6
//@[flag] cflags: -DFLAG
#include <atomic>
#include <thread>

static std::atomic_flag flag = ATOMIC_FLAG_INIT;
static std::atomic<bool> word;
static int shared;

static void work() {
#ifdef FLAG
    while (flag.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    shared++;
    flag.clear(std::memory_order_release);
#else
    while (word.exchange(true, std::memory_order_acquire)) {
    }
    shared++;
    word.store(false, std::memory_order_release);
#endif
}

int main() {
    std::thread a(work), b(work), c(work);
    a.join();
    b.join();
    c.join();
    return shared == 3 ? 0 : 1;
}
