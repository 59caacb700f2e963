// std::jthread: its end requests the stop and joins. The thread looks at the stop state once: before it
// is locked and the stop requested in one exchange, before it is unlocked, or after it: 3 executions.
//@ opt: O0 O2
//@ cflags: -std=c++20
//@ expect: verified
//@ executions: 3
//@ outcomes: seen=1 *1 | seen=2 *2
#include <atomic>
#include <dpor.h>
#include <stop_token>
#include <thread>

int main() {
    int seen = 0;
    {
        std::jthread thread([&](std::stop_token token) { seen = 1 + token.stop_requested(); });
    }
    dpor_observe("seen", seen);
    return 0;
}
