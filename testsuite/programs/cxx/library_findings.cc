// Whose fault is it? The standard lets threads call members of some classes at the same time; where that goes wrong, it is
// the library.
//
// [stale] std::counting_semaphore of libstdc++ 12 to 14 (GCC PR 104928). Two threads take the semaphore, which counts 1,
// and give it back. One reads the count, 1; the other takes it; so the first one gets none; the other gives it back; the
// first one asks the kernel to sleep as long as the count is 1, as it read. It is 1, and nobody wakes it.
// [nobody] A deadlock in the same function, and the program's: nobody releases.
// [pointer] One std::shared_ptr that two threads use: both accesses are in headers, and the program's fault.
// [made] A std::atomic<std::shared_ptr> that is used while it is made: what publishes it orders nothing.
// The library's own race is in atomic_shared_ptr.cc.
//@ revisions: stale nobody pointer made
//@ expect: bug
//@[stale] opt: O0 O2
//@[stale] kind: deadlock
//@[stale] message: in libstdc++, not in your code
//@[stale] message: GCC PR 104928
//@[stale] cflags: -std=c++20 -DSTALE
//@[nobody] opt: O1
//@[nobody] kind: deadlock
//@[nobody] cflags: -std=c++20 -DNOBODY
//@[pointer] kind: data-race
//@[pointer] cflags: -std=c++20 -DPOINTER
//@[made] opt: O0
//@[made] kind: data-race
//@[made] cflags: -std=c++20 -DMADE
#include <atomic>
#include <memory>
#include <new>
#include <semaphore>
#include <thread>

#if defined(STALE) || defined(NOBODY)
static std::counting_semaphore<4> semaphore(1);
static void work() {
    semaphore.acquire(); //~[stale] deadlock
#ifdef STALE
    semaphore.release();
#endif
}
#elif defined(POINTER)
static std::shared_ptr<int> pointer = std::make_shared<int>(1);
static void work() { pointer = std::make_shared<int>(2); }
#else
using Shared = std::atomic<std::shared_ptr<int>>;
alignas(Shared) static char place[sizeof(Shared)];
static std::atomic<Shared *> made;
static void work() {
    if (Shared *shared = made.load(std::memory_order_relaxed))
        shared->load();
    else
        made.store(new (place) Shared(std::make_shared<int>(1)), std::memory_order_relaxed);
}
#endif

int main() {
    std::thread first(work), second(work);
    first.join();
    second.join();
    return 0;
}
