// A hash map without locks that grows while others insert. After Lincheck's finding in a map of this kind of the library
// JCTools (Koval et al., CAV 2023: not linearizable); the map is our own, and so is what is wrong with it.
// `right`: whoever copies a slot to the new table closes it, so that who comes late inserts into the new one. `lost` copies
// without closing: what is put into the old table behind the copy is lost. `looks`: put_if_absent looks first and puts then.
// By hand, `lost`: one thread has found that the table has room for 1. Another puts 2, and then 1: there is 2 already, so that
// the table grows, and 1 is put into the new one. The first puts its 1 into the old one: both found none there.
//@ revisions: right lost looks
//@[right] expect: verified
//@[right] checkpoint: snapshot
//@[lost] expect: bug
//@[lost] kind: not-linearizable
//@[lost] cflags: -DLOST
//@[looks] expect: bug
//@[looks] kind: not-linearizable
//@[looks] cflags: -DLOOKS
#include <atomic>
#include <dpor/scenario.hpp>
#include <map>

// Keys are 1 and 2, each with a slot of its own; the table that it begins with is full when one is in it.
struct Map {
    // A bit of a slot that was copied; its value stays.
    static constexpr int CLOSED = 64;
    struct Table {
        std::atomic<int> slots[3] = {};
    };
    Table tables[2];
    std::atomic<int> current{0};

    // Where the old table has a key, all that it has goes to the new one.
    void grow()
    {
        for (int key = 1; key <= 2; key++) {
#ifdef LOST
            int value = tables[0].slots[key];
#else
            int value = tables[0].slots[key].fetch_or(CLOSED) & ~CLOSED;
#endif
            int none = 0;
            if (value)
                tables[1].slots[key].compare_exchange_strong(none, value);
        }
        current = 1;
    }
    // The value that was there before; 0: none, and it is there now.
    int put_if_absent(int key, int value)
    {
        for (;;) {
            int which = current;
            if (which == 0 && tables[0].slots[3 - key]) {
                grow();
                continue;
            }
            std::atomic<int> &slot = tables[which].slots[key];
            int there = slot;
            if (there & CLOSED)
                continue;
            if (there)
                return there;
#ifdef LOOKS
            slot = value;
            return 0;
#else
            if (slot.compare_exchange_strong(there, value))
                return 0;
#endif
        }
    }
    int get(int key)
    {
        for (;;) {
            int there = tables[current].slots[key];
            if (!(there & CLOSED))
                return there;
        }
    }
};

struct Plain {
    std::map<int, int> all;
    int put_if_absent(int key, int value)
    {
        auto [at, is_new] = all.emplace(key, value);
        return is_new ? 0 : at->second;
    }
    int get(int key) { return all.count(key) ? all[key] : 0; }
};

DPOR_SCENARIO(Map, dpor::specification<Plain>(),
              dpor::operation("put_if_absent", [](auto &map, int key, int value) { return map.put_if_absent(key, value); },
                              dpor::values(1, 2), dpor::values(7)),
              dpor::operation("get", [](auto &map, int key) { return map.get(key); }, dpor::values(1)))
