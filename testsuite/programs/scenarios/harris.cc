// Harris's list: a set in order, whose nodes are marked before they are taken out. `without` takes them out unmarked: what
// is inserted behind a node that is being removed is lost.
//@ revisions: right without
//@[right] expect: verified
//@[right] checkpoint: snapshot
//@[without] expect: bug
//@[without] kind: not-linearizable
//@[without] cflags: -DWITHOUT
//@[without] checkpoint: snapshot
//@[without] parts: no
#include <atomic>
#include <cstdint>
#include <dpor/scenario.hpp>
#include <set>

struct List {
    struct Node {
        int key = 0;
        // The next node; its lowest bit: this one is removed.
        std::atomic<uintptr_t> next{0};
    };
    Node nodes[8];
    std::atomic<int> used{1};

    static Node *node(uintptr_t word) { return reinterpret_cast<Node *>(word & ~uintptr_t{1}); }

    // The word that leads to the first node whose key is not less, and that node.
    bool find(int key, std::atomic<uintptr_t> *&before, uintptr_t &at)
    {
    again:
        before = &nodes[0].next;
        at = *before;
        while (Node *here = node(at)) {
            uintptr_t next = here->next;
            if (next & 1) {
                if (!before->compare_exchange_strong(at, next - 1))
                    goto again;
                at = next - 1;
                continue;
            }
            if (here->key >= key)
                return here->key == key;
            before = &here->next;
            at = next;
        }
        return false;
    }
    bool insert(int key)
    {
        std::atomic<uintptr_t> *before;
        uintptr_t at;
        Node *fresh = &nodes[used++];
        fresh->key = key;
        for (;;) {
            if (find(key, before, at))
                return false;
            fresh->next = at;
            if (before->compare_exchange_strong(at, reinterpret_cast<uintptr_t>(fresh)))
                return true;
        }
    }
    bool remove(int key)
    {
        std::atomic<uintptr_t> *before;
        uintptr_t at;
        for (;;) {
            if (!find(key, before, at))
                return false;
            uintptr_t next = node(at)->next;
#ifdef WITHOUT
            if (before->compare_exchange_strong(at, next))
                return true;
#else
            if (next & 1)
                continue;
            if (node(at)->next.compare_exchange_strong(next, next | 1))
                return true;
#endif
        }
    }
    bool contains(int key)
    {
        uintptr_t at = nodes[0].next;
        while (node(at) && node(at)->key < key)
            at = node(at)->next;
        return node(at) && node(at)->key == key && !(node(at)->next & 1);
    }
};

struct Set {
    std::set<int> keys;
    bool insert(int key) { return keys.insert(key).second; }
    bool remove(int key) { return keys.erase(key) > 0; }
    bool contains(int key) { return keys.count(key) > 0; }
};

DPOR_SCENARIO(List, dpor::specification<Set>(),
              dpor::operation("insert", [](auto &list, int key) { return list.insert(key); }, dpor::values(1, 2)),
              dpor::operation("remove", [](auto &list, int key) { return list.remove(key); }, dpor::values(1)),
              dpor::operation("contains", [](auto &list, int key) { return list.contains(key); }, dpor::values(2)))
