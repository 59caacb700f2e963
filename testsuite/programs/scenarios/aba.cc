// Treiber's stack, with 2 above 1 in it, whose first node that is taken is used again by the next push. By hand: thread 1
// begins to take: it has read the top node and the one below. Thread 2 takes both and pushes 3, in the first one's node.
// The exchange of thread 1 succeeds, for the top is that node again: it takes 3, and leaves on top the node below, which was
// taken. Its next pop has 1 for the second time.
//@ expect: bug
//@ kind: not-linearizable
//@ program-args: --dpor-scenario=2x3 --dpor-above=2
//@ checkpoint: snapshot
//@ parts: no
//@ seconds: 180
#include <atomic>
#include <dpor/scenario.hpp>
#include <optional>

struct Stack {
    struct Node {
        std::atomic<int> value;
        std::atomic<Node *> next;
    };
    std::atomic<Node *> top{nullptr}, taken{nullptr};
    Node nodes[2 + 6];
    std::atomic<int> used{0};

    Stack()
    {
        push(1);
        push(2);
    }
    void push(int value)
    {
        Node *node = taken.exchange(nullptr);
        if (!node)
            node = &nodes[used++];
        node->value = value;
        Node *seen = top;
        do
            node->next = seen;
        while (!top.compare_exchange_weak(seen, node));
    }
    std::optional<int> pop()
    {
        Node *node = top, *none = nullptr;
        for (;;) {
            if (!node)
                return {};
            Node *next = node->next;
            if (top.compare_exchange_weak(node, next))
                break;
        }
        int value = node->value;
        taken.compare_exchange_strong(none, node);
        return value;
    }
};

DPOR_SCENARIO(Stack, dpor::operation("push", [](auto &stack, int value) { stack.push(value); }, dpor::values(3)),
              dpor::operation("pop", [](auto &stack) { return stack.pop(); }))
