// Treiber's stack. `right` never gives a node back. `gives_up`: pop says that the stack is empty when its exchange failed.
//
// One thread each makes one call, at first. With push(1), push(2), pop there are three calls, six pairs of them:
// scenarios of 2x1: 3 + 3 = 6. What `gives_up` does is linearizable there: pop fails only if another thread pushes (then
// "empty" comes before the push) or pops what there is not.
//@ revisions: right right_once gives_up_once gives_up
//@[right] expect: verified
//@[right] program-args: --dpor-scenario=2x2
//@[right] checkpoint: snapshot
//@[right_once] expect: verified
//@[right_once] program-args: --dpor-scenario=2x1
//@[gives_up_once] expect: verified
//@[gives_up_once] cflags: -DGIVES_UP
//@[gives_up_once] program-args: --dpor-scenario=2x1
//@[gives_up] expect: bug
//@[gives_up] kind: not-linearizable
//@[gives_up] cflags: -DGIVES_UP
//@[gives_up] golden: yes
#include <atomic>
#include <dpor/scenario.hpp>
#include <optional>

struct Stack {
    struct Node {
        std::atomic<int> value;
        std::atomic<Node *> next;
    };
    std::atomic<Node *> top{nullptr};
    // Nodes are the stack's own, so that none leaks.
    Node nodes[16];
    std::atomic<int> used{0};

    void push(int value)
    {
        Node *node = &nodes[used++];
        node->value = value;
        Node *seen = top;
        do
            node->next = seen;
        while (!top.compare_exchange_weak(seen, node));
    }
    std::optional<int> pop()
    {
        Node *node = top;
        for (;;) {
            if (!node)
                return {};
            Node *next = node->next;
            if (top.compare_exchange_weak(node, next))
                break;
#ifdef GIVES_UP
            return {};
#endif
        }
        int value = node->value;
        return value;
    }
};

DPOR_SCENARIO(Stack,
              dpor::operation("push", [](auto &stack, int value) { stack.push(value); }, dpor::values(1, 2)),
              dpor::operation("pop", [](auto &stack) { return stack.pop(); }))
