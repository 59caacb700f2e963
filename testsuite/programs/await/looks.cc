// As looks.c, in C++. Ref: an object that is no atomic is waited for through `std::atomic_ref`, and written without one.
// Flag: who has the lock clears its flag by a plain store through a pointer, beside the other's `test_and_set`. Right: a
// plain store before the object is published by another: one execution, as each wait passes with one store.
//@ revisions: ref flag right
//@ opt: O0 O2
//@[ref] expect: bug
//@[ref] kind: data-race
//@[ref] cflags: -std=c++20 -DREF
//@[flag] expect: bug
//@[flag] kind: data-race
//@[flag] cflags: -std=c++20 -DFLAG
//@[right] expect: verified
//@[right] executions: 1
//@[right] cflags: -std=c++20 -DRIGHT
//@[right] opt: O2
#include <atomic>
#include <thread>

static int word, shared;
static std::atomic<int> ready;
static std::atomic_flag busy;

int main() {
#ifdef REF
    std::thread a([] {
        while (std::atomic_ref<int>(word).load() == 1) {
        }
    });
    std::thread b([] {
        word = 1;
        std::atomic_ref<int>(word).store(3);
    });
#elif defined FLAG
    auto work = [] {
        while (busy.test_and_set(std::memory_order_acquire)) {
        }
        shared++;
        *reinterpret_cast<bool *>(&busy) = false;
    };
    std::thread a(work), b(work);
#else
    std::thread a([] {
        while (!ready.load(std::memory_order_acquire)) {
        }
        while (std::atomic_ref<int>(word).load(std::memory_order_acquire)) {
        }
    });
    std::thread b([] {
        word = 1;
        ready.store(1, std::memory_order_release);
        std::atomic_ref<int>(word).store(0, std::memory_order_release);
    });
#endif
    a.join();
    b.join();
}
