// The queue of Michael and Scott with two locks: those who put and those who take each have one, and meet at the first node,
// which is a dummy. One of the data structures of Relinche (Golovin et al., POPL 2025), which found it linearizable.
// `plain`: what links the nodes is no atomic variable; who takes from an empty queue reads it while the other lock's owner
// writes it. `unlocked`: who takes has no lock.
//@ revisions: right plain unlocked
//@[right] expect: verified
//@[right] checkpoint: snapshot
//@[plain] expect: bug
//@[plain] kind: data-race
//@[plain] cflags: -DPLAIN
//@[plain] program-args: --dpor-scenario=2x1
//@[unlocked] expect: bug
//@[unlocked] kind: not-linearizable
//@[unlocked] cflags: -DUNLOCKED
#include <atomic>
#include <dpor/scenario.hpp>
#include <mutex>
#include <optional>

struct Queue {
    struct Node {
        int value = 0;
#ifdef PLAIN
        Node *next = nullptr;
#else
        std::atomic<Node *> next{nullptr};
#endif
    };
    Node nodes[9];
    std::atomic<int> used{1};
    std::mutex putting, taking;
    Node *tail = nodes;
    std::atomic<Node *> head{nodes};

    void put(int value)
    {
        Node *node = &nodes[used++];
        node->value = value;
        std::lock_guard guard(putting);
        tail->next = node;
        tail = node;
    }
    std::optional<int> take()
    {
#ifndef UNLOCKED
        std::lock_guard guard(taking);
#endif
        Node *old = head, *next = old->next;
        if (!next)
            return {};
        int value = next->value;
        head = next;
        return value;
    }
};

DPOR_SCENARIO(Queue, dpor::operation("put", [](auto &queue, int value) { queue.put(value); }, dpor::values(1, 2)),
              dpor::operation("take", [](auto &queue) { return queue.take(); }))
