// std::lock, as it is and in std::scoped_lock: locks one, tries the others, backs off. What fails changes
// nothing, so that the executions are those of a function that locks all at once.
//
// `opposite`: (a, b) against (b, a): one thread or the other is first: 2 executions. `three`: three mutexes
// in different orders: the same. `unique`: unique_lock without its mutex: the same. `kinds`: a mutex that
// counts, and that one thread has already, and one with time limits: the same.
//
// `philosophers`: three threads, each with two of three mutexes. Each mutex has two users, in either order,
// independently: 2^3; the two orders that go round in a circle are not possible: 6 executions.
//
// `nested`: b, and within it a, against std::lock(a, b), which holds nothing while it waits: no deadlock,
// 2 executions.
//
// `behind`: m and then std::lock(a, b), against a and then m: who waits in std::lock holds m. Two orders
// complete: one thread before the other. A third one is the deadlock. `forever`: nobody gives b back.
//
// `race`: what two threads change under different pairs of mutexes without a common one.
//
// `apart`: a try_lock of a mutex that nobody locks together with another changes nothing: its two results are
// one, as nobody else has it: 2 executions as without.
//
// `noticed`: main holds b while it tries a. It fails only where std::lock(a, b) holds a for a moment, before it
// backs off. `tried`: the same with two std::lock, which may see each other fail without end.
//@ revisions: opposite three unique kinds philosophers nested behind forever race apart noticed tried
//@ cflags: -std=c++17
//@[opposite] cflags: -std=c++17 -DOPPOSITE
//@[opposite] expect: verified
//@[opposite] executions: 2
//@[three] cflags: -std=c++17 -DTHREE
//@[three] expect: verified
//@[three] executions: 2
//@[unique] cflags: -std=c++17 -DUNIQUE
//@[unique] expect: verified
//@[unique] executions: 2
//@[kinds] cflags: -std=c++17 -DKINDS
//@[kinds] expect: verified
//@[kinds] executions: 2
//@[philosophers] cflags: -std=c++17 -DPHILOSOPHERS
//@[philosophers] expect: verified
//@[philosophers] executions: 6
//@[nested] cflags: -std=c++17 -DNESTED
//@[nested] expect: verified
//@[nested] executions: 2
//@[behind] cflags: -std=c++17 -DBEHIND
//@[behind] expect: bug
//@[behind] kind: deadlock
//@[behind] args: --keep-going
//@[behind] executions: 2
//@[behind] deadlocked: 1
//@[forever] cflags: -std=c++17 -DFOREVER
//@[forever] expect: bug
//@[forever] kind: deadlock
//@[race] cflags: -std=c++17 -DRACE
//@[race] expect: bug
//@[race] kind: data-race
//@[apart] cflags: -std=c++17 -DOPPOSITE -DAPART
//@[apart] expect: verified
//@[apart] executions: 2
//@[noticed] cflags: -std=c++17 -DNOTICED
//@[noticed] expect: bug
//@[noticed] kind: assertion
//@[tried] cflags: -std=c++17 -DNOTICED -DTRIED
//@[tried] expect: incomplete
//@[tried] reason: std::lock
//@ opt: O0 O2
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex a, b, c, m;
static int data;

int main() {
#if defined OPPOSITE
#ifdef APART
    std::thread first([] {
        std::scoped_lock lock(a, b);
        bool mine = c.try_lock();
        assert(mine);
        c.unlock();
        data++;
    });
#else
    std::thread first([] { std::scoped_lock lock(a, b); data++; });
#endif
    std::thread second([] { std::scoped_lock lock(b, a); data++; });
#elif defined THREE
    std::thread first([] { std::scoped_lock lock(a, b, c); data++; });
    std::thread second([] { std::scoped_lock lock(c, a, b); data++; });
#elif defined UNIQUE
    std::thread first([] {
        std::unique_lock<std::mutex> one(a, std::defer_lock), other(b, std::defer_lock);
        std::lock(one, other);
        assert(one.owns_lock() && other.owns_lock());
        data++;
    });
    std::thread second([] {
        std::lock(b, a);
        data++;
        b.unlock();
        a.unlock();
    });
#elif defined KINDS
    static std::recursive_mutex counts;
    static std::timed_mutex timed;
    std::thread first([] {
        std::lock_guard<std::recursive_mutex> outer(counts);
        std::scoped_lock lock(timed, counts);
        data++;
    });
    std::thread second([] { std::scoped_lock lock(counts, timed); data++; });
#elif defined PHILOSOPHERS
    std::thread first([] { std::scoped_lock lock(a, b); });
    std::thread second([] { std::scoped_lock lock(b, c); });
    std::thread third([] { std::scoped_lock lock(c, a); });
    third.join();
#elif defined NESTED
    std::thread first([] { std::scoped_lock lock(a, b); data++; });
    std::thread second([] {
        std::lock_guard<std::mutex> outer(b);
        std::lock_guard<std::mutex> inner(a);
        data++;
    });
#elif defined BEHIND
    std::thread first([] {
        std::lock_guard<std::mutex> outer(m);
        std::scoped_lock lock(b, a);
    });
    std::thread second([] {
        std::lock_guard<std::mutex> outer(a);
        std::lock_guard<std::mutex> inner(m);
    });
#elif defined FOREVER
    b.lock();
    std::thread first([] { std::scoped_lock lock(a, b); });
    std::thread second([] { std::lock_guard<std::mutex> lock(a); });
#elif defined RACE
    std::thread first([] { std::scoped_lock lock(a, b); data++; });
    std::thread second([] { std::scoped_lock lock(c, m); data++; });
#else
    b.lock();
    std::thread first([] { std::scoped_lock lock(a, b); });
#ifdef TRIED
    std::thread second([] { std::scoped_lock lock(b, a); });
#else
    std::thread second([] {});
#endif
    bool mine = a.try_lock();
#ifndef TRIED
    assert(mine);
#endif
    if (mine)
        a.unlock();
    b.unlock();
#endif
    first.join();
    second.join();
    return 0;
}
