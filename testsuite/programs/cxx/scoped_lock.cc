// std::scoped_lock of two mutexes locks a and tries b; if that fails it gives a up, waits for b and
// tries a. At the end a is unlocked before b, so that the second thread can get a while b is still
// taken, and goes the other way round: 2 executions for each of the 2 orders of the threads.
//@ opt: O0 O2
//@ cflags: -std=c++20
//@ expect: verified
//@ executions: 4
//@ outcomes: value=4 *2 | value=5 *2
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
