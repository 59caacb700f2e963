// std::lock of four mutexes and more: one event, as of two or three (lock_all.cc).
//
// `opposite`: four in opposite orders: one thread or the other is first: 2 executions. `sixteen`: sixteen, as
// many as are locked at once: the same. `unique`: with unique_lock, and one mutex that counts and that the
// thread has already: the same.
//
// `mixed`: five against a pair of them: 2 orders.
//
// `neighbours`: three threads, each with four of six mutexes in a ring. Each two threads have two in common, so
// that they come one after the other: 3! executions.
//
// `nested`: d, and within it a, against std::lock(a, b, c, d), which holds nothing while it waits: no
// deadlock, 2 executions.
//
// `forever`: nobody gives the fourth back; who waits for all four holds none of them: the other thread, which
// wants the first, ends.
//
// `noticed`: main holds d while it tries a. It fails only where std::lock holds a for a moment, before it backs
// off.
//@ revisions: opposite sixteen unique mixed neighbours nested forever noticed
//@ cflags: -std=c++17
//@[opposite] cflags: -std=c++17 -DOPPOSITE
//@[opposite] expect: verified
//@[opposite] executions: 2
//@[sixteen] cflags: -std=c++17 -DSIXTEEN
//@[sixteen] expect: verified
//@[sixteen] executions: 2
//@[unique] cflags: -std=c++17 -DUNIQUE
//@[unique] expect: verified
//@[unique] executions: 2
//@[mixed] cflags: -std=c++17 -DMIXED
//@[mixed] expect: verified
//@[mixed] executions: 2
//@[neighbours] cflags: -std=c++17 -DNEIGHBOURS
//@[neighbours] expect: verified
//@[neighbours] executions: 6
//@[nested] cflags: -std=c++17 -DNESTED
//@[nested] expect: verified
//@[nested] executions: 2
//@[forever] cflags: -std=c++17 -DFOREVER
//@[forever] expect: bug
//@[forever] kind: deadlock
//@[forever] args: --keep-going
//@[forever] executions: 0
//@[forever] deadlocked: 1
//@[noticed] cflags: -std=c++17 -DNOTICED
//@[noticed] expect: bug
//@[noticed] kind: assertion
//@ opt: O0 O2
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex a, b, c, d, e, f, many[14];
static int data;

int main() {
#if defined OPPOSITE
    std::thread first([] { std::scoped_lock lock(a, b, c, d); data++; });
    std::thread second([] { std::scoped_lock lock(d, c, b, a); data++; });
#elif defined SIXTEEN
    std::thread first([] {
        std::scoped_lock lock(a, b, many[0], many[1], many[2], many[3], many[4], many[5], many[6], many[7],
                              many[8], many[9], many[10], many[11], many[12], many[13]);
        data++;
    });
    std::thread second([] {
        std::scoped_lock lock(many[13], many[12], many[11], many[10], many[9], many[8], many[7], many[6],
                              many[5], many[4], many[3], many[2], many[1], many[0], b, a);
        data++;
    });
#elif defined UNIQUE
    static std::recursive_mutex counts;
    std::thread first([] {
        std::lock_guard<std::recursive_mutex> outer(counts);
        std::unique_lock<std::mutex> one(a, std::defer_lock), other(b, std::defer_lock);
        std::lock(one, counts, other, c);
        assert(one.owns_lock() && other.owns_lock());
        data++;
        c.unlock();
        counts.unlock();
    });
    std::thread second([] { std::scoped_lock lock(c, counts, b, a); data++; });
#elif defined MIXED
    std::thread first([] { std::scoped_lock lock(a, b, c, d, e); data++; });
    std::thread second([] { std::scoped_lock lock(e, b); data++; });
#elif defined NEIGHBOURS
    std::thread first([] { std::scoped_lock lock(a, b, c, d); });
    std::thread second([] { std::scoped_lock lock(c, d, e, f); });
    std::thread third([] { std::scoped_lock lock(e, f, a, b); });
    third.join();
#elif defined NESTED
    std::thread first([] { std::scoped_lock lock(a, b, c, d); data++; });
    std::thread second([] {
        std::lock_guard<std::mutex> outer(d);
        std::lock_guard<std::mutex> inner(a);
        data++;
    });
#elif defined FOREVER
    d.lock();
    std::thread first([] { std::scoped_lock lock(a, b, c, d); });
    std::thread second([] { std::lock_guard<std::mutex> lock(a); });
#else
    d.lock();
    std::thread first([] { std::scoped_lock lock(a, b, c, d); });
    std::thread second([] {});
    bool mine = a.try_lock();
    assert(mine);
    a.unlock();
    d.unlock();
#endif
    first.join();
    second.join();
    return 0;
}
