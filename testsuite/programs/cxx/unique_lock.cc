// std::unique_lock that is locked later, and one that only tries: before the other's section, in its
// midst (it fails), or after it. 3 executions.
//@ opt: O0 O2
//@ cflags: -std=c++20
//@ expect: verified
//@ executions: 3
//@ outcomes: owns=0 *1 | owns=1 *2
#include <dpor.h>
#include <mutex>
#include <thread>
#include <utility>

static std::mutex mutex;

int main() {
    bool owns = false;
    std::thread thread([&] {
        std::unique_lock<std::mutex> tried(mutex, std::try_to_lock);
        std::unique_lock<std::mutex> moved(std::move(tried));
        owns = moved.owns_lock() && !tried.owns_lock();
    });
    std::unique_lock<std::mutex> later(mutex, std::defer_lock);
    later.lock();
    later.unlock();
    thread.join();
    dpor_observe("owns", owns);
    return 0;
}
