// std::promise, std::packaged_task: the thread stores a result and the creator asks for it. get()
// looks, sets a bit that says that somebody waits, and waits on the futex. The result comes before
// the look; between it and the bit (nobody is woken, and the wait finds another value); between the
// bit and the wait (the wake-up finds nobody); or after the creator joined the waiters: 4 executions.
//
// std::shared_future: two threads ask. Their bits and looks conflict, too; counted by brute force
// (runtime/explorer/tests/library.rs): 59, 54 if setting the bit commutes with its like.
//
// An exception is passed on like a value; besides, who drops a reference to it changes its count. After the result
// the thread drops its argument, and main the argument of rethrow_exception and what it caught: 3 orders of
// these for each of the 4 executions: 12.
//@ revisions: promise task shared exception
//@[promise] cflags: -std=c++20 -DSTORE=promise.set_value(42)
//@[task] cflags: -std=c++20 -DTASK
//@[shared] cflags: -std=c++20 -DSTORE=promise.set_value(42) -DSHARED
//@[exception] cflags: -std=c++20 -DSTORE=promise.set_exception(std::make_exception_ptr(42))
//@ opt: O0 O2
//@ expect: verified
//@[promise] executions: 4
//@[task] executions: 4
//@[shared] executions: 59
//@[exception] executions: 12
#include <exception>
#include <future>
#include <thread>

int main() {
#ifdef TASK
    std::packaged_task<int(int)> task([](int n) { return n + 1; });
    std::future<int> result = task.get_future();
    std::thread thread([&] { task(41); });
#else
    std::promise<int> promise;
#ifdef SHARED
    std::shared_future<int> result = promise.get_future().share();
    int other = 0;
    std::thread asks([&] { other = result.get(); });
#else
    std::future<int> result = promise.get_future();
#endif
    std::thread thread([&] { STORE; });
#endif
    int value = 0;
    try {
        value = result.get();
    } catch (int thrown) {
        value = thrown;
    }
    thread.join();
#ifdef SHARED
    asks.join();
    if (other != 42) return 2;
#endif
    return value == 42 ? 0 : 1;
}
