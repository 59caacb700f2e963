// Treiber's stack with a slot in which a push and a pop may meet instead (Hendler, Shavit and Yerushalmi, SPAA 2004). A push
// that lost an exchange at the top offers its value there, and takes the offer back if nobody came. Lincheck (Koval et al.,
// CAV 2023) and Relinche (Golovin et al., POPL 2025) have such a stack, which is linearizable.
// `kept`: the offer is taken back by a store, although a pop may have come meanwhile: a value is popped twice.
//@ revisions: right kept
//@[right] expect: verified
//@[right] checkpoint: snapshot
//@[right] program-args: --dpor-scenario=2x2
//@[kept] expect: bug
//@[kept] kind: not-linearizable
//@[kept] cflags: -DKEPT
//@[kept] checkpoint: snapshot
//@[kept] parts: no
#include <atomic>
#include <dpor/scenario.hpp>
#include <optional>

struct Stack {
    struct Node {
        int value = 0;
        std::atomic<Node *> next{nullptr};
    };
    Node nodes[9];
    std::atomic<int> used{1};
    std::atomic<Node *> top{nullptr};
    // Nobody's; a value that is offered; or TAKEN, until who offered it sees that.
    static constexpr int TAKEN = -1;
    std::atomic<int> slot{0};

    void push(int value)
    {
        Node *node = &nodes[used++];
        node->value = value;
        for (;;) {
            Node *seen = top;
            node->next = seen;
            if (top.compare_exchange_strong(seen, node))
                return;
            int nobody = 0, offered = value;
            if (!slot.compare_exchange_strong(nobody, value))
                continue;
#ifdef KEPT
            slot = 0;
            (void)offered;
#else
            if (slot.compare_exchange_strong(offered, 0))
                continue;
            slot = 0;
            return;
#endif
        }
    }
    std::optional<int> pop()
    {
        for (;;) {
            int offered = slot;
            if (offered > 0 && slot.compare_exchange_strong(offered, TAKEN))
                return offered;
            Node *seen = top;
            if (!seen)
                return {};
            Node *next = seen->next;
            if (top.compare_exchange_strong(seen, next))
                return seen->value;
        }
    }
};

DPOR_SCENARIO(Stack, dpor::operation("push", [](auto &stack, int value) { stack.push(value); }, dpor::values(1, 2)),
              dpor::operation("pop", [](auto &stack) { return stack.pop(); }))
