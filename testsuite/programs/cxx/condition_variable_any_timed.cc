// std::condition_variable_any with a std::shared_lock, with a time limit that nobody comes before, and with
// a stop token: what it waits for is asked under the lock, and the wait has a mutex of its own inside.
//@ args: --timeouts=none
//@ revisions: expires stopped
//@ opt: O0 O2
//@ expect: verified
//@[expires] cflags: -std=c++20 -DEXPIRES
//@[expires] executions: 1
//@[stopped] cflags: -std=c++20
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <thread>

static std::shared_mutex mutex;
static std::condition_variable_any changed;

int main() {
    bool ready = false, seen = true;
#ifdef EXPIRES
    std::thread thread([&] {
        std::shared_lock<std::shared_mutex> lock(mutex);
        seen = changed.wait_for(lock, std::chrono::hours(1), [&] { return ready; });
    });
#else
    std::jthread thread([&](std::stop_token stop) {
        std::unique_lock<std::shared_mutex> lock(mutex);
        seen = changed.wait(lock, stop, [&] { return ready; });
    });
    thread.request_stop();
#endif
    thread.join();
    return seen ? 1 : 0;
}
