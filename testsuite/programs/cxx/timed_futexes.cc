// Waits on futexes with a time-out that nobody ends: std::future::wait_for, a semaphore's
// try_acquire_for. Each ends with its time-out when nothing else can go on: 1 execution.
//@ args: --timeouts=none
//@ revisions: future semaphore
//@[future] cflags: -std=c++20 -DFUTURE
//@[semaphore] cflags: -std=c++20
//@ opt: O0 O2
//@ expect: verified
//@ executions: 1
#include <chrono>
#include <future>
#include <semaphore>
#include <thread>

int main() {
    bool expired = false;
    std::promise<int> promise;
    std::counting_semaphore<3> none(0);
    std::thread thread([&] {
#ifdef FUTURE
        expired = promise.get_future().wait_for(std::chrono::hours(1)) == std::future_status::timeout;
#else
        expired = !none.try_acquire_for(std::chrono::hours(1));
#endif
    });
    thread.join();
    return expired ? 0 : 1;
}
