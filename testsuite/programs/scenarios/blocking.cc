// A slot for one value: put waits while it is full, take while it is empty. Threads that wait at the end may do so where
// some order of the calls leaves them waiting, too. `lost`: put does not wake who waits for a value.
//@ revisions: right lost unsaid
//@[right] expect: verified
//@[lost] expect: bug
//@[lost] kind: deadlock
//@[lost] cflags: -DLOST
//@[unsaid] expect: bug
//@[unsaid] kind: deadlock
//@[unsaid] cflags: -DUNSAID
//@[unsaid] message: say when a call waits
#include <condition_variable>
#include <dpor/scenario.hpp>
#include <mutex>

struct Slot {
    std::mutex lock;
    std::condition_variable changed;
    bool is_full = false;
    int value = 0;

    void put(int next)
    {
        std::unique_lock guard(lock);
        changed.wait(guard, [this] { return !is_full; });
        value = next;
        is_full = true;
#ifndef LOST
        changed.notify_all();
#endif
    }
    int take()
    {
        std::unique_lock guard(lock);
        changed.wait(guard, [this] { return is_full; });
        is_full = false;
        changed.notify_all();
        return value;
    }
};

#ifdef UNSAID
#define WHEN(condition)
#else
#define WHEN(condition) .waits_when([](auto &slot) { return condition; })
#endif

DPOR_SCENARIO(Slot, dpor::operation("put", [](auto &slot, int value) { slot.put(value); }, dpor::values(1)) WHEN(slot.is_full),
              dpor::operation("take", [](auto &slot) { return slot.take(); }) WHEN(!slot.is_full))
