#include <dpor/scenario.hpp>
#include <atomic>
#include <optional>

// A box for one letter.
struct Mailbox {
    std::atomic<int> letter{0};
    bool put(int value)
    {
#ifdef IN_TWO_STEPS
        if (letter != 0)
            return false;
        letter = value;
        return true;
#else
        int none = 0;
        return letter.compare_exchange_strong(none, value);
#endif
    }
    std::optional<int> take()
    {
        int value = letter.exchange(0);
        if (value == 0)
            return {};
        return value;
    }
};

DPOR_SCENARIO(Mailbox,
    dpor::operation("put", [] (auto &box, int value) { return box.put(value); }, dpor::values(1, 2)),
    dpor::operation("take", [] (auto &box) { return box.take(); }))
