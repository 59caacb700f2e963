// A ring for one producer and one consumer, of two places. Among Relinche's data structures (Golovin et al., POPL 2025) are
// Vyukov's bounded queues; the one of several producers is in vyukov.cc, this is the simplest of the family. `early`:
// the index is published before the value is there, and take finds what was there before.
//@ revisions: right early
//@[right] expect: verified
//@[right] checkpoint: snapshot
//@[early] expect: bug
//@[early] kind: not-linearizable
//@[early] cflags: -DEARLY
#include <atomic>
#include <dpor/scenario.hpp>
#include <optional>

struct Ring {
    std::atomic<int> places[2] = {};
    std::atomic<unsigned> puts{0}, takes{0};

    bool put(int value)
    {
        unsigned at = puts;
        if (at - takes == 2)
            return false;
#ifdef EARLY
        puts = at + 1;
        places[at % 2] = value;
#else
        places[at % 2] = value;
        puts = at + 1;
#endif
        return true;
    }
    std::optional<int> take()
    {
        unsigned at = takes;
        if (at == puts)
            return {};
        int value = places[at % 2];
        takes = at + 1;
        return value;
    }
};

DPOR_SCENARIO(Ring,
              dpor::operation("put", [](auto &ring, int value) { return ring.put(value); }, dpor::values(1, 2)).by_one_thread(1),
              dpor::operation("take", [](auto &ring) { return ring.take(); }).by_one_thread(2))
