// Vyukov's bounded queue of several producers and consumers, with two slots. A producer that found a slot that a consumer
// has not given back yet says that the queue is full, and a consumer behind a slow producer that it is empty although
// another value was put behind: the queue is linearizable where each thread makes one call, and not with more. By hand:
// thread 1 takes the first slot and stops before it publishes; thread 2 puts 2 into the second, returns, and takes: the
// first slot is not published, so "empty", although its own 2 was put before. No order has that.
//@ revisions: once twice orders
//@[once] expect: verified
//@[once] program-args: --dpor-scenario=2x1
//@[twice] expect: bug
//@[twice] kind: not-linearizable
//@[orders] expect: bug
//@[orders] kind: not-linearizable
//@[orders] program-args: --dpor-check=sequentially-consistent
#include <atomic>
#include <dpor/scenario.hpp>
#include <optional>

struct Queue {
    struct Slot {
        std::atomic<unsigned> turn{0};
        int value = 0;
    };
    Slot slots[2];
    std::atomic<unsigned> puts{0}, takes{0};

    Queue() { slots[1].turn = 1; }
    bool put(int value)
    {
        unsigned at = puts;
        for (;;) {
            Slot &slot = slots[at % 2];
            int ahead = static_cast<int>(slot.turn.load(std::memory_order_acquire) - at);
            if (ahead == 0) {
                if (!puts.compare_exchange_weak(at, at + 1))
                    continue;
                slot.value = value;
                slot.turn.store(at + 1, std::memory_order_release);
                return true;
            }
            if (ahead < 0)
                return false;
            at = puts;
        }
    }
    std::optional<int> take()
    {
        unsigned at = takes;
        for (;;) {
            Slot &slot = slots[at % 2];
            int ahead = static_cast<int>(slot.turn.load(std::memory_order_acquire) - (at + 1));
            if (ahead == 0) {
                if (!takes.compare_exchange_weak(at, at + 1))
                    continue;
                int value = slot.value;
                slot.turn.store(at + 2, std::memory_order_release);
                return value;
            }
            if (ahead < 0)
                return {};
            at = takes;
        }
    }
};

DPOR_SCENARIO(Queue, dpor::operation("put", [](auto &queue, int value) { return queue.put(value); }, dpor::values(1, 2)),
              dpor::operation("take", [](auto &queue) { return queue.take(); }))
