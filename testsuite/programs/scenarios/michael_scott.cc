// The queue of Michael and Scott. Its size is a counter of its own (`counted`), which is changed behind the queue: a call
// of size() finds 0 where a value has been put and taken already, or more than there are.
//@ revisions: right counted counted_orders
//@[right] expect: verified
//@[right] checkpoint: snapshot
//@[right] program-args: --dpor-scenario=2x2
//@[counted] expect: bug
//@[counted] kind: not-linearizable
//@[counted] cflags: -DCOUNTED
//@[counted] golden: yes
//@[counted_orders] expect: verified
//@[counted_orders] cflags: -DCOUNTED
//@[counted_orders] program-args: --dpor-scenario=2x1
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
    std::atomic<int> count{0};

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
            } else if (last->next.compare_exchange_strong(next, node)) {
                tail.compare_exchange_strong(last, node);
                break;
            }
        }
#ifdef COUNTED
        count++;
#endif
    }
    std::optional<int> take()
    {
        for (;;) {
            Node *old = head, *last = tail, *next = old->next;
            if (!next)
                return {};
            if (old == last) {
                tail.compare_exchange_strong(last, next);
                continue;
            }
            int value = next->value;
            if (head.compare_exchange_strong(old, next)) {
#ifdef COUNTED
                count--;
#endif
                return value;
            }
        }
    }
};

DPOR_SCENARIO(Queue, dpor::operation("put", [](auto &queue, int value) { queue.put(value); }, dpor::values(1, 2)),
#ifdef COUNTED
              dpor::operation("size", [](auto &queue) { return queue.count.load(); }),
#endif
              dpor::operation("take", [](auto &queue) { return queue.take(); }))
