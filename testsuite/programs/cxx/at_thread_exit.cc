// The value of a promise that a thread sets for its end: made ready by code of libstdc++.so.
//
// `now`: get() looks, sets a bit that says that somebody waits, and waits on the futex; the result comes
// before the look, between it and the bit, between the bit and the wait, or after that: 4 executions.
//
// `at-exit`: the end of the thread owns the state for a while, and gives it back with two subtractions, of
// the owners and of the weak pointers. get() gives up its own ownership with a look at both counts, which
// are one word of eight bytes, and a subtraction. All that is after the result, so that two times two
// accesses to one word come in any order: 6 for each of the 4 above. `task`: the same, by packaged_task.
//
// `notify`: the thread unlocks at its end and then notifies; the waiter locks before or after it, and in the
// first case it waits: 2 executions.
//
// `polled`: a look with a limit of no time, before or after the result: 2 executions, and what the thread
// did before its end is seen in the second. `late` writes after the call, which is before the end: no race
// with who saw the result. `race`: with who did not wait for it.
//
// `local`: what a destructor of a thread_local object wrote is before the result, which a key makes ready.
//@ revisions: now at-exit task notify polled late race local
//@[now] cflags: -DNOW
//@[now] executions: 4
//@[at-exit] cflags: -DAT_EXIT
//@[at-exit] executions: 24
//@[task] cflags: -DTASK
//@[task] executions: 24
//@[notify] cflags: -DNOTIFY
//@[notify] executions: 2
//@[polled] cflags: -DPOLLED
//@[polled] executions: 2
//@[polled] outcomes: data=0 | data=1
//@[late] cflags: -DLATE
//@[late] executions: 24
//@[race] cflags: -DRACE
//@[local] cflags: -DLOCAL
//@[local] executions: 24
//@ opt: O0 O2
//@[now] expect: verified
//@[at-exit] expect: verified
//@[task] expect: verified
//@[notify] expect: verified
//@[polled] expect: verified
//@[late] expect: verified
//@[race] expect: bug
//@[race] kind: data-race
//@[local] expect: verified
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <dpor.h>
#include <future>
#include <mutex>
#include <thread>

int data;

#ifdef LOCAL
struct Writer {
    int used = 0;
    ~Writer() { data = used; }
};
static thread_local Writer writer;
#endif

int main() {
#ifdef NOTIFY
    std::mutex mutex;
    std::condition_variable changed;
    std::thread thread([&] {
        std::unique_lock<std::mutex> lock(mutex);
        data = 1;
        std::notify_all_at_thread_exit(changed, std::move(lock));
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [] { return data == 1; });
    }
    thread.join();
#elif defined TASK
    std::packaged_task<int()> task([] { data = 1; return 3; });
    auto future = task.get_future();
    std::thread thread([&] { task.make_ready_at_thread_exit(); });
    assert(future.get() == 3);
    assert(data == 1);
    thread.join();
#else
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread thread([&] {
#ifdef NOW
        promise.set_value(3);
#else
#ifdef POLLED
        data = 1;
#endif
#ifdef LOCAL
        writer.used = 5;
#endif
        promise.set_value_at_thread_exit(3);
#if defined LATE || defined RACE
        data = 2;
#endif
#endif
    });
#if defined POLLED || defined RACE
    bool ready = future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
#ifdef RACE
    data = 1;
#endif
    dpor_observe("data", ready ? data : 0);
#else
    assert(future.get() == 3);
#ifdef LATE
    assert(data == 2);
#endif
#ifdef LOCAL
    assert(data == 5);
#endif
#endif
    thread.join();
#endif
    return 0;
}
