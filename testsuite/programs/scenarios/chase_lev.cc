// The deque of Chase and Lev, sequentially consistent: its owner puts and takes at the bottom, others steal at the top. For
// the last value the owner and a thief compete by an exchange at the top; `without` leaves the owner's out, so that both
// get the value. (Of two values, the first put is stolen first.)
//@ revisions: right without
//@[right] expect: verified
//@[right] checkpoint: snapshot
//@[without] expect: bug
//@[without] kind: not-linearizable
//@[without] cflags: -DWITHOUT
#include <atomic>
#include <deque>
#include <dpor/scenario.hpp>
#include <optional>

struct Deque {
    std::atomic<long> top{0}, bottom{0};
    std::atomic<int> items[8] = {};

    void put(int value)
    {
        long at = bottom;
        items[at % 8] = value;
        bottom = at + 1;
    }
    std::optional<int> take()
    {
        long at = bottom - 1;
        bottom = at;
        long first = top;
        if (first > at) {
            bottom = at + 1;
            return {};
        }
        int value = items[at % 8];
        if (first < at)
            return value;
        bool is_ours = true;
#ifndef WITHOUT
        is_ours = top.compare_exchange_strong(first, first + 1);
#else
        top = first + 1;
#endif
        bottom = at + 1;
        if (!is_ours)
            return {};
        return value;
    }
    // Another thread may come first, in vain for this one: it tries again.
    std::optional<int> steal()
    {
        for (;;) {
            long first = top;
            if (first >= bottom)
                return {};
            int value = items[first % 8];
            if (top.compare_exchange_strong(first, first + 1))
                return value;
        }
    }
};

struct Plain {
    std::deque<int> items;
    void put(int value) { items.push_back(value); }
    std::optional<int> take()
    {
        if (items.empty())
            return {};
        int value = items.back();
        items.pop_back();
        return value;
    }
    std::optional<int> steal()
    {
        if (items.empty())
            return {};
        int value = items.front();
        items.pop_front();
        return value;
    }
};

DPOR_SCENARIO(
    Deque, dpor::specification<Plain>(),
    dpor::operation("put", [](auto &deque, int value) { deque.put(value); }, dpor::values(1, 2)).by_one_thread(),
    dpor::operation("take", [](auto &deque) { return deque.take(); }).by_one_thread(),
    dpor::operation("steal", [](auto &deque) { return deque.steal(); }))
