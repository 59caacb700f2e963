// A deque whose ends are looked for in one step and taken in another. After an example of Lincheck (Koval et al., CAV 2023):
// the deque without locks of Java's library, whose operations at both ends together are not linearizable, as published. This
// is what matters of it, on our own: `apart` looks for the first item, and takes it later if it is still there, although
// another one may have been put before it by then.
// By hand: 4 is there. One thread looks for the first item, and finds 4. Another puts -9 before it, and sees that 4 is the
// last. The first takes 4. So it took the first item behind a moment at which -9 was before it.
// `right`: looked for and taken in one section. `one_end`: apart, and nobody puts anything before the first item; Lincheck's
// verdict needs both ends, too.
//@ revisions: right apart one_end
//@[right] expect: verified
//@[right] checkpoint: snapshot
//@[apart] expect: bug
//@[apart] kind: not-linearizable
//@[apart] cflags: -DAPART
//@[one_end] expect: verified
//@[one_end] cflags: -DAPART -DONE_END
#include <atomic>
#include <dpor/scenario.hpp>
#include <mutex>
#include <optional>

struct Deque {
    // Items from the first to the last; 0: taken. They never move.
    std::mutex lock;
    std::atomic<int> items[16] = {};
    int first = 8, behind = 8;

    void put_first(int value)
    {
        std::lock_guard guard(lock);
        items[--first] = value;
    }
    void put_last(int value)
    {
        std::lock_guard guard(lock);
        items[behind++] = value;
    }
    std::optional<int> last()
    {
        std::lock_guard guard(lock);
        for (int at = behind; at > first;)
            if (int value = items[--at])
                return value;
        return {};
    }
    std::optional<int> take_first()
    {
        for (;;) {
            std::unique_lock guard(lock);
            int at = first, value = 0;
            while (at < behind && !(value = items[at]))
                at++;
            if (at == behind)
                return {};
#ifdef APART
            guard.unlock();
#endif
            if (items[at].compare_exchange_strong(value, 0))
                return value;
        }
    }
};

DPOR_SCENARIO(Deque, dpor::operation("put_last", [](auto &deque, int value) { deque.put_last(value); }, dpor::values(4)),
#ifndef ONE_END
              dpor::operation("put_first", [](auto &deque, int value) { deque.put_first(value); }, dpor::values(-9)),
#endif
              dpor::operation("last", [](auto &deque) { return deque.last(); }),
              dpor::operation("take_first", [](auto &deque) { return deque.take_first(); }))
