// The queue of Doherty, Groves, Luchangco and Moir (FORTE 2004): Michael and Scott's, in which who takes looks at the tail
// only behind having taken, so that the head may be before the tail for a moment. One of the data structures of Relinche
// (Golovin et al., POPL 2025), which found it linearizable.
// `stored`: the head is stored instead of exchanged, so that two threads take one value.
//@ revisions: right stored
//@[right] expect: verified
//@[right] checkpoint: snapshot
//@[right] program-args: --dpor-scenario=2x2
//@[stored] expect: bug
//@[stored] kind: not-linearizable
//@[stored] cflags: -DSTORED
#include <atomic>
#include <dpor/scenario.hpp>
#include <optional>

struct Queue {
    struct Node {
        int value = 0;
        std::atomic<Node *> next{nullptr};
    };
    // Nodes that were taken stay linked, from the first one on, and go with the queue.
    Node first;
    std::atomic<Node *> head{&first}, tail{&first};

    ~Queue()
    {
        for (Node *node = first.next; node;) {
            Node *next = node->next;
            delete node;
            node = next;
        }
    }
    void put(int value)
    {
        Node *node = new Node{value};
        for (;;) {
            Node *last = tail, *next = last->next;
            if (next) {
                tail.compare_exchange_strong(last, next);
                continue;
            }
            if (!last->next.compare_exchange_strong(next, node))
                continue;
            tail.compare_exchange_strong(last, node);
            return;
        }
    }
    std::optional<int> take()
    {
        for (;;) {
            Node *old = head, *next = old->next;
            if (!next)
                return {};
            int value = next->value;
#ifdef STORED
            head = next;
#else
            if (!head.compare_exchange_strong(old, next))
                continue;
#endif
            Node *last = tail;
            if (old == last)
                tail.compare_exchange_strong(last, next);
            return value;
        }
    }
};

DPOR_SCENARIO(Queue, dpor::operation("put", [](auto &queue, int value) { queue.put(value); }, dpor::values(1, 2)),
              dpor::operation("take", [](auto &queue) { return queue.take(); }))
