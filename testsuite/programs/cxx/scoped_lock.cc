// std::scoped_lock of two mutexes locks a and tries b; if that fails it gives a up, waits for b and
// tries a. What fails changes nothing: one thread or the other has both first, 2 executions.
//@ opt: O0 O2
//@ cflags: -std=c++20
//@ expect: verified
//@ executions: 2
//@ outcomes: value=4 *1 | value=5 *1
#include <dpor.h>
#include <mutex>
#include <thread>

static std::mutex a, b;
static int value;

static void append(int digit) {
    std::scoped_lock lock(a, b);
    value = 2 * value + digit;
}

int main() {
    std::thread thread(append, 1);
    append(2);
    thread.join();
    dpor_observe("value", value);
    return 0;
}
