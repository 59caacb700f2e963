// A message behind an atomic flag. With release and acquire, or fences, or consume (taken for
// acquire), the message is there when the flag is, and its accesses are ordered: 2 executions (flag seen or
// not). Relaxed, or with only one half of a pair, they race, also where values are as under sequential
// consistency.
//@ revisions: acquire consume seq_cst acq_rel fences relaxed only_release only_acquire
//@[acquire] cflags: -std=c++20 -DSTORE=release -DLOAD=acquire
//@[consume] cflags: -std=c++20 -DSTORE=release -DLOAD=consume
//@[seq_cst] cflags: -std=c++20 -DSTORE=seq_cst -DLOAD=seq_cst
//@[acq_rel] cflags: -std=c++20 -DEXCHANGE=acq_rel
//@[fences] cflags: -std=c++20 -DSTORE=relaxed -DLOAD=relaxed -DFENCES
//@[relaxed] cflags: -std=c++20 -DSTORE=relaxed -DLOAD=relaxed
//@[only_release] cflags: -std=c++20 -DSTORE=release -DLOAD=relaxed
//@[only_acquire] cflags: -std=c++20 -DSTORE=relaxed -DLOAD=acquire
//@ opt: O0 O2
//@[acquire] expect: verified
//@[consume] expect: verified
//@[seq_cst] expect: verified
//@[acq_rel] expect: verified
//@[fences] expect: verified
//@[relaxed] expect: bug
//@[only_release] expect: bug
//@[only_acquire] expect: bug
//@[acquire] executions: 2
//@[consume] executions: 2
//@[seq_cst] executions: 2
//@[acq_rel] executions: 2
//@[fences] executions: 2
//@[relaxed] kind: data-race
//@[only_release] kind: data-race
//@[only_acquire] kind: data-race
#include <atomic>
#include <thread>

static std::atomic<int> flag;
static int message;

static void set() {
#ifdef EXCHANGE
    flag.exchange(1, std::memory_order::EXCHANGE);
#else
#ifdef FENCES
    std::atomic_thread_fence(std::memory_order::release);
#endif
    flag.store(1, std::memory_order::STORE);
#endif
}

static bool is_set() {
#ifdef EXCHANGE
    return flag.fetch_add(0, std::memory_order::EXCHANGE) == 1;
#else
    bool set = flag.load(std::memory_order::LOAD) == 1;
#ifdef FENCES
    std::atomic_thread_fence(std::memory_order::acquire);
#endif
    return set;
#endif
}

int main() {
    std::thread thread([] {
        message = 7;
        set();
    });
    int seen = is_set() ? message : 7;
    thread.join();
    return seen == 7 ? 0 : 1;
}
