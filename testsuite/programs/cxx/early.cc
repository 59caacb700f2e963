// Waits of the library with a time limit, beside a thread that would end them. By default each may be late although
// that thread could go on; with none it is not.
// future: the task may take longer. mutex: the lock is held. condition: the flag is set later. semaphore, latch: what
// waits with a limit in C++20.
//@ revisions: future mutex condition semaphore none
//@ cflags: -std=c++20
//@ expect: verified
//@[future] cflags: -DCALL=future()
//@[future] outcomes: late=0 | late=1
//@[mutex] cflags: -DCALL=mutex()
//@[mutex] outcomes: late=0 | late=1
//@[condition] cflags: -DCALL=condition()
//@[condition] outcomes: late=0 | late=1
//@[semaphore] cflags: -DCALL=semaphore()
//@[semaphore] outcomes: late=0 | late=1
//@[none] cflags: -DCALL=future()
//@[none] args: --timeouts=none
//@[none] outcomes: late=0
#include <chrono>
#include <condition_variable>
#include <dpor.h>
#include <future>
#include <mutex>
#include <semaphore>
#include <thread>

using namespace std::chrono_literals;

static bool future() {
    auto task = std::async(std::launch::async, [] { return 1; });
    return task.wait_for(100ms) != std::future_status::ready;
}

static bool mutex() {
    std::timed_mutex lock;
    std::thread other([&] { std::lock_guard held(lock); });
    bool late = !lock.try_lock_for(100ms);
    if (!late) lock.unlock();
    other.join();
    return late;
}

static bool condition() {
    std::mutex lock;
    std::condition_variable changed;
    bool flag = false;
    std::thread other([&] {
        std::lock_guard held(lock);
        flag = true;
        changed.notify_one();
    });
    std::unique_lock held(lock);
    bool late = !changed.wait_for(held, 100ms, [&] { return flag; });
    held.unlock();
    other.join();
    return late;
}

static bool semaphore() {
    std::counting_semaphore<1> count(0);
    std::thread other([&] { count.release(); });
    bool late = !count.try_acquire_for(100ms);
    other.join();
    return late;
}

int main() {
    dpor_observe("late", CALL);
}
