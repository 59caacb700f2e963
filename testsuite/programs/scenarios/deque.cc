// A std::deque behind a lock: a mutex, or a flag that is spun on (`spin`). `looks`: take looks whether the deque is empty in
// a section of its own, and takes in another: it may find it empty. `raced`: size() does without the lock.
//@ revisions: mutex spin looks raced
//@[mutex] expect: verified
//@[spin] expect: verified
//@[spin] cflags: -DSPIN
//@[looks] expect: bug
//@[looks] kind: not-linearizable
//@[looks] cflags: -DLOOKS
//@[raced] expect: bug
//@[raced] kind: data-race
//@[raced] cflags: -DRACED
//@[raced] program-args: --dpor-scenario=2x1
#include <atomic>
#include <deque>
#include <dpor/scenario.hpp>
#include <mutex>
#include <stdexcept>

struct Spin {
    std::atomic_flag taken = ATOMIC_FLAG_INIT;
    void lock()
    {
        while (taken.test_and_set(std::memory_order_acquire)) { }
    }
    void unlock() { taken.clear(std::memory_order_release); }
};

struct Deque {
#ifdef SPIN
    Spin lock;
#else
    std::mutex lock;
#endif
    std::deque<int> items;

    void put(int value)
    {
        std::lock_guard guard(lock);
        items.push_back(value);
    }
    bool empty()
    {
        std::lock_guard guard(lock);
        return items.empty();
    }
    int take_first()
    {
        std::lock_guard guard(lock);
        if (items.empty())
            throw std::out_of_range("nothing there");
        int value = items.front();
        items.pop_front();
        return value;
    }
    int take()
    {
#ifdef LOOKS
        return empty() ? -1 : take_first();
#else
        std::lock_guard guard(lock);
        if (items.empty())
            return -1;
        int value = items.front();
        items.pop_front();
        return value;
#endif
    }
    int size() { return static_cast<int>(items.size()); }
};

DPOR_SCENARIO(Deque, dpor::operation("put", [](auto &deque, int value) { deque.put(value); }, dpor::values(1)),
#ifdef RACED
              dpor::operation("size", [](auto &deque) { return deque.size(); }),
#endif
              dpor::operation("take_first", [](auto &deque) { return deque.take_first(); }),
              dpor::operation("take", [](auto &deque) { return deque.take(); }))
