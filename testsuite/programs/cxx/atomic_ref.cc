// std::atomic_ref of a plain object: two read-modify-writes, 2 orders.
//@ opt: O0 O2
//@ cflags: -std=c++20
//@ expect: verified
//@ executions: 2
//@ outcomes: seen=0 value=6 *1 | seen=1 value=5 *1
#include <atomic>
#include <dpor.h>
#include <thread>

int main() {
    int value = 0;
    std::thread thread([&] { std::atomic_ref<int>(value).fetch_add(1); });
    int seen = std::atomic_ref<int>(value).exchange(5);
    thread.join();
    dpor_observe("seen", seen);
    dpor_observe("value", value);
    return 0;
}
