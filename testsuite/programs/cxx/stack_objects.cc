// Objects of the library's on the stack of a function that returns once another thread has let it go on, which the
// library allows: a promise, a latch, a semaphore, a mutex with a condition variable that waits with any lock, a stop
// source; and a function run by call_once, to which the library hands a variable on the stack. Each twice, so that the
// second one has the place of the first. Nothing is wrong, in any of their orders.
//@ revisions: promise latch semaphore condition stop once
//@ opt: O0 O2
//@ cflags: -std=c++20
//@ expect: verified
//@[promise] cflags: -std=c++20 -DWHICH=promise
//@[promise] workers: no
//@[latch] cflags: -std=c++20 -DWHICH=latch
//@[semaphore] cflags: -std=c++20 -DWHICH=semaphore
//@[condition] cflags: -std=c++20 -DWHICH=condition
//@[stop] cflags: -std=c++20 -DWHICH=stop
//@[once] cflags: -std=c++20 -DWHICH=once
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <thread>

static std::thread other;

[[gnu::noinline]] static void promise() {
    std::promise<int> promised;
    auto result = promised.get_future();
    other = std::thread([p = std::move(promised)]() mutable { p.set_value(1); });
    result.get();
}

[[gnu::noinline]] static void latch() {
    std::latch done(1);
    other = std::thread([&done] { done.count_down(); });
    done.wait();
}

[[gnu::noinline]] static void semaphore() {
    std::binary_semaphore done(0);
    other = std::thread([&done] { done.release(); });
    done.acquire();
}

[[gnu::noinline]] static void condition() {
    std::mutex lock;
    std::condition_variable_any changed;
    bool set = false;
    other = std::thread([&] {
        std::lock_guard held(lock);
        set = true;
        changed.notify_one();
    });
    std::unique_lock held(lock);
    changed.wait(held, [&] { return set; });
}

[[gnu::noinline]] static void stop() {
    std::jthread waits([](std::stop_token token) {
        std::mutex lock;
        std::condition_variable_any changed;
        std::unique_lock held(lock);
        changed.wait(held, token, [] { return false; });
    });
    waits.request_stop();
}

[[gnu::noinline]] static void once() {
    std::once_flag flag;
    int count = 0;
    std::thread first([&] { std::call_once(flag, [&] { count++; }); });
    std::call_once(flag, [&] { count++; });
    first.join();
}

int main() {
    for (int turn = 0; turn < 2; turn++) {
        WHICH();
        if (other.joinable())
            other.join();
    }
    return 0;
}
