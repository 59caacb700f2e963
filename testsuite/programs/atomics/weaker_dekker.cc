// Dekker's entry with release and acquire: C++ and real machines allow that both threads come in (each load may be before the
// store of its own thread), sequential consistency does not. What is explored is the latter, and the verdict says that four
// accesses ask for less.
//
// A trace is an order of x's store and load, and one of y's; not both loads first: 3. Where one load sees 0, one thread adds to
// `in` (one of them at most: the additions never meet).
//
// [weak] 2 stores and 2 loads.
// [strong] None: no note, which tests/suite/environment.rs looks for.
//
//@ revisions: weak strong
//@ opt: O0 O2
//@ expect: verified
//@ executions: 3
//@[weak] note: verified under sequential consistency; 4 atomic accesses are weaker
//@[strong] cflags: -DSTRONG
#include <atomic>
#include <cassert>
#include <thread>

#ifdef STRONG
constexpr auto RELEASE = std::memory_order_seq_cst, ACQUIRE = std::memory_order_seq_cst;
#else
constexpr auto RELEASE = std::memory_order_release, ACQUIRE = std::memory_order_acquire;
#endif

static std::atomic<int> x, y, in;

int main()
{
    std::thread a([] {
        x.store(1, RELEASE);
        if (!y.load(ACQUIRE))
            in.fetch_add(1);
    });
    std::thread b([] {
        y.store(1, RELEASE);
        if (!x.load(ACQUIRE))
            in.fetch_add(1);
    });
    a.join();
    b.join();
    assert(in < 2);
}
