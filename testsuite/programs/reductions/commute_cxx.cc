// The same in C++: three threads, no result looked at, 1 execution. Not without optimization: there the
// member functions of std::atomic are called, and return what they found.
//@ expect: verified
//@ executions: 1
//@ args: --reductions=commute
//@ opt: O1 O2
//@ outcomes: count=3 total=-6 flags=7 *1
#include <atomic>
#include <dpor.h>
#include <pthread.h>

static std::atomic<int> count, flags;
static std::atomic<long> total;

static void *change(void *number) {
    int n = (int)(long)number;
    count.fetch_add(1, std::memory_order_relaxed);
    ++count;
    count--;
    total -= n + 1;
    flags |= 1 << n;
    return nullptr;
}

int main() {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], nullptr, change, (void *)i);
    for (pthread_t thread : threads) pthread_join(thread, nullptr);
    dpor_observe("count", count);
    dpor_observe("total", total);
    dpor_observe("flags", flags);
}
