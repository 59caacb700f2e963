// A server in C++, as under_mutex.c and served.c have it: a std::mutex in a loop that is never left, and a spin lock of a
// std::atomic whose critical section has a name.
// [idle] the server finds nothing: by hand 1 execution, in which nothing is ordered. The optimizer lets a turn end while
// the thread holds the mutex: it has not ended with it.
// [spin] two threads, with sections that control leaves at their ends.
//@ revisions: idle spin
//@ opt: O1 O2
//@ expect: verified
//@ note: runs for ever
//@[idle] executions: 1
//@[idle] cflags: -DIDLE
#include <atomic>
#include <dpor.h>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::atomic<bool> taken;
static int queued;

[[noreturn]] static void serve() {
    for (;;) {
#ifdef IDLE
        std::lock_guard<std::mutex> guard(mutex);
        if (queued) queued = 0;
#else
        while (taken.exchange(true)) {
        }
        dpor_section("served") { std::atomic_signal_fence(std::memory_order_seq_cst); }
        taken.store(false);
#endif
    }
}

int main() {
    std::thread one(serve);
#ifndef IDLE
    std::thread other(serve);
    other.join();
#endif
    one.join();
    (void)queued;
}
