// The queue of Herlihy and Wing (1990): put takes a place and fills it later, take looks through all places again and again
// until it finds a value. Which of two puts comes first may depend on what happens behind both: no step of a put is the
// moment at which it takes effect. It is linearizable, as they prove; so says Relinche (Golovin et al., POPL 2025).
// take waits on an empty queue. `torn`: two puts may take the same place, so that a value is lost, and a take that waits for it
// goes round for ever.
//@ revisions: right torn
//@[right] expect: verified
//@[right] program-args: --dpor-scenario=2x2
//@[right] checkpoint: snapshot
//@[torn] expect: bug
//@[torn] cflags: -DTORN
//@[torn] kind: livelock
#include <atomic>
#include <deque>
#include <dpor/scenario.hpp>

struct Queue {
    std::atomic<int> places[8] = {};
    std::atomic<int> behind{0};

    void put(int value)
    {
#ifdef TORN
        int at = behind;
        behind = at + 1;
#else
        int at = behind++;
#endif
        places[at] = value;
    }
    int take()
    {
        for (;;)
            for (int at = 0, end = behind; at < end; at++)
                if (int value = places[at].exchange(0))
                    return value;
    }
};

struct Plain {
    std::deque<int> items;
    void put(int value) { items.push_back(value); }
    int take()
    {
        int value = items.front();
        items.pop_front();
        return value;
    }
};

DPOR_SCENARIO(Queue, dpor::specification<Plain>(),
              dpor::operation("put", [](auto &queue, int value) { queue.put(value); }, dpor::values(1, 2)),
              dpor::operation("take", [](auto &queue) { return queue.take(); })
                  .waits_when([](Plain &queue) { return queue.items.empty(); }))
