// std::condition_variable::wait_for with a predicate and a notification that always comes: as without
// the time-out, 2 executions (cxx/condition_variable.cc). revision expires: nobody notifies, and the
// wait ends with its time-out: 1 execution.
//@ args: --timeouts=none
//@ revisions: notified expires
//@[expires] cflags: -std=c++20 -DEXPIRES
//@[notified] cflags: -std=c++20
//@ opt: O0 O2
//@ expect: verified
//@[notified] executions: 2
//@[expires] executions: 1
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static bool ready;

int main() {
    bool seen = false;
    std::thread thread([&] {
        std::unique_lock<std::mutex> lock(mutex);
        seen = changed.wait_for(lock, std::chrono::hours(1), [] { return ready; });
    });
#ifndef EXPIRES
    {
        std::lock_guard<std::mutex> lock(mutex);
        ready = true;
        changed.notify_one();
    }
#endif
    thread.join();
#ifdef EXPIRES
    return seen ? 1 : 0;
#else
    return seen ? 0 : 1;
#endif
}
