// A channel without room: send waits until somebody receives, receive until somebody sends. Lincheck (Koval et al., CAV 2023)
// tests such channels by taking a call that waits for two, its request and what follows: that there is a pair is what is
// linearizable then. Here no order of whole calls, one after the other, lets any of them return: as one call each, a channel
// that is right is not linearizable (`whole`).
// `halves`: the two parts are operations of their own, as Lincheck takes them, and neither waits; a number says whose
// request it is. `lost`: a sender that finds a receiver forgets to tell it.
//@ revisions: whole halves lost
//@[whole] expect: bug
//@[whole] kind: not-linearizable
//@[whole] cflags: -DWHOLE
//@[whole] program-args: --dpor-scenario=2x1
//@[halves] expect: verified
//@[halves] checkpoint: snapshot
//@[lost] expect: bug
//@[lost] kind: not-linearizable
//@[lost] cflags: -DLOST
#include <condition_variable>
#include <dpor/scenario.hpp>
#include <mutex>
#include <optional>

#ifdef WHOLE
struct Channel {
    std::mutex lock;
    std::condition_variable changed;
    std::optional<int> offered;
    int receivers = 0;

    void send(int value)
    {
        std::unique_lock guard(lock);
        changed.wait(guard, [this] { return receivers > 0 && !offered; });
        receivers--;
        offered = value;
        changed.notify_all();
    }
    int receive()
    {
        std::unique_lock guard(lock);
        receivers++;
        changed.notify_all();
        changed.wait(guard, [this] { return offered.has_value(); });
        int value = *offered;
        offered.reset();
        changed.notify_all();
        return value;
    }
};

DPOR_SCENARIO(Channel, dpor::operation("send", [](auto &channel, int value) { channel.send(value); }, dpor::values(1))
                  .waits_when([](auto &) { return true; }),
              dpor::operation("receive", [](auto &channel) { return channel.receive(); })
                  .waits_when([](auto &) { return true; }))
#else
// Those who ask are in a line: all of them send, or all of them receive.
struct Channel {
    std::mutex lock;
    int senders = 0, receivers = 0, met_senders = 0, met_receivers = 0;

    // Whether it meets somebody at once.
    bool ask_to_send()
    {
        std::lock_guard guard(lock);
        if (receivers == 0) {
            senders++;
            return false;
        }
        receivers--;
#ifndef LOST
        met_receivers++;
#endif
        return true;
    }
    bool ask_to_receive()
    {
        std::lock_guard guard(lock);
        if (senders == 0) {
            receivers++;
            return false;
        }
        senders--;
        met_senders++;
        return true;
    }
    // What follows: how many requests of a kind that waited met somebody.
    int sent()
    {
        std::lock_guard guard(lock);
        return met_senders;
    }
    int received()
    {
        std::lock_guard guard(lock);
        return met_receivers;
    }
};

struct Right {
    int asked = 0, met_senders = 0, met_receivers = 0;
    bool ask_to_send()
    {
        met_receivers += asked < 0;
        return asked++ < 0;
    }
    bool ask_to_receive()
    {
        met_senders += asked > 0;
        return asked-- > 0;
    }
    int sent() { return met_senders; }
    int received() { return met_receivers; }
};

DPOR_SCENARIO(Channel, dpor::specification<Right>(),
              dpor::operation("ask_to_send", [](auto &channel) { return channel.ask_to_send(); }),
              dpor::operation("ask_to_receive", [](auto &channel) { return channel.ask_to_receive(); }),
              dpor::operation("sent", [](auto &channel) { return channel.sent(); }),
              dpor::operation("received", [](auto &channel) { return channel.received(); }))
#endif
