// std::timed_mutex, std::recursive_timed_mutex: lock() is a mutex's: 2 orders. try_lock_for() with a long
// time-out gets the mutex once it is free, as nothing keeps it for ever: 2 orders.
//@ args: --timeouts=none
//@ revisions: lock wait recursive
//@[lock] cflags: -std=c++20 -DMUTEX=std::timed_mutex -DLOCK=mutex.lock()
//@[wait] cflags: -std=c++20 -DMUTEX=std::timed_mutex -DLOCK=mutex.try_lock_for(std::chrono::hours(1))
//@[recursive] cflags: -std=c++20 -DMUTEX=std::recursive_timed_mutex -DLOCK=mutex.try_lock_for(std::chrono::hours(1))
//@ opt: O0 O2
//@ expect: verified
//@ executions: 2
//@ outcomes: value=4 *1 | value=5 *1
#include <chrono>
#include <dpor.h>
#include <mutex>
#include <thread>

static MUTEX mutex;
static int value;

static void append(int digit) {
    (void)(LOCK);
    value = 2 * value + digit;
    mutex.unlock();
}

int main() {
    std::thread thread(append, 1);
    append(2);
    thread.join();
    dpor_observe("value", value);
    return 0;
}
