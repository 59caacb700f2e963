// std::unique_lock that adopts what is locked; std::shared_lock that tries: before the other's section, in
// its midst (it fails), or after it, 3 executions; that waits up to an hour: nobody keeps the lock so long,
// before or after it, 2. std::scoped_lock that adopts, std::shared_lock that locks later: with nobody left.
//@ revisions: try timed
//@ opt: O0 O2
//@ expect: verified
//@[try] cflags: -std=c++20 -DMUTEX=std::shared_mutex -DHOW=std::try_to_lock
//@[try] executions: 3
//@[try] outcomes: owns=0 *1 | owns=1 *2
//@[timed] args: --timeouts=none
//@[timed] cflags: -std=c++20 -DMUTEX=std::shared_timed_mutex -DHOW=std::chrono::hours(1)
//@[timed] executions: 2
//@[timed] outcomes: owns=1 *2
#include <chrono>
#include <dpor.h>
#include <mutex>
#include <shared_mutex>
#include <thread>

static MUTEX mutex;

int main() {
    bool owns = false;
    std::thread thread([&] {
        std::shared_lock<MUTEX> tried(mutex, HOW);
        owns = tried.owns_lock();
    });
    {
        mutex.lock();
        std::unique_lock<MUTEX> adopted(mutex, std::adopt_lock);
    }
    thread.join();
    {
        mutex.lock();
        std::scoped_lock<MUTEX> adopted(std::adopt_lock, mutex);
    }
    std::shared_lock<MUTEX> later(mutex, std::defer_lock);
    later.lock();
    dpor_observe("owns", owns);
    return later.owns_lock() ? 0 : 1;
}
