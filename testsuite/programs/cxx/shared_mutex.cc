// std::shared_mutex, std::shared_timed_mutex: a reader and a writer, 2 orders; a second reader has none with
// the first: before or after the writer each, 2 * 2.
//@ revisions: plain timed
//@[plain] cflags: -std=c++20 -DMUTEX=std::shared_mutex
//@[timed] cflags: -std=c++20 -DMUTEX=std::shared_timed_mutex
//@ opt: O0 O2
//@ expect: verified
//@ args: --reductions=commute
//@ executions: 4
//@ outcomes: one=0 two=0 *1 | one=0 two=7 *1 | one=7 two=0 *1 | one=7 two=7 *1
#include <dpor.h>
#include <mutex>
#include <shared_mutex>
#include <thread>

static MUTEX mutex;
static int value;

int main() {
    int one = 0, two = 0;
    std::thread first([&] {
        std::shared_lock<MUTEX> lock(mutex);
        one = value;
    });
    std::thread second([&] {
        std::shared_lock<MUTEX> lock(mutex);
        two = value;
    });
    {
        std::unique_lock<MUTEX> lock(mutex);
        value = 7;
    }
    first.join();
    second.join();
    dpor_observe("one", one);
    dpor_observe("two", two);
    return 0;
}
