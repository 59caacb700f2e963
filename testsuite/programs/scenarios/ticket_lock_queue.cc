// A queue behind a lock of tickets: who comes draws a number, and waits until it is shown. One of the data structures of
// Relinche (Golovin et al., POPL 2025), which found it linearizable. `torn`: a number is drawn in two steps, so that two
// threads may have the same one: who comes late never sees it shown. `unlocked`: take has no lock.
//@ revisions: right torn unlocked
//@[right] expect: verified
//@[right] checkpoint: snapshot
//@[torn] expect: bug
//@[torn] kind: livelock
//@[torn] cflags: -DTORN
//@[torn] program-args: --dpor-scenario=2x1
//@[torn] checkpoint: snapshot
//@[torn] parts: no
//@[unlocked] expect: bug
//@[unlocked] kind: data-race
//@[unlocked] cflags: -DUNLOCKED
//@[unlocked] program-args: --dpor-scenario=2x1
#include <atomic>
#include <deque>
#include <dpor/scenario.hpp>
#include <mutex>
#include <optional>

struct Tickets {
    std::atomic<unsigned> drawn{0}, shown{0};
    void lock()
    {
#ifdef TORN
        unsigned mine = drawn;
        drawn = mine + 1;
#else
        unsigned mine = drawn++;
#endif
        while (shown != mine) { }
    }
    void unlock() { shown = shown + 1; }
};

struct Queue {
    Tickets lock;
    std::deque<int> items;

    void put(int value)
    {
        std::lock_guard guard(lock);
        items.push_back(value);
    }
    std::optional<int> take()
    {
#ifndef UNLOCKED
        std::lock_guard guard(lock);
#endif
        if (items.empty())
            return {};
        int value = items.front();
        items.pop_front();
        return value;
    }
};

DPOR_SCENARIO(Queue, dpor::operation("put", [](auto &queue, int value) { queue.put(value); }, dpor::values(1, 2)),
              dpor::operation("take", [](auto &queue) { return queue.take(); }))
