// A message behind an atomic flag. With release and acquire, or fences, or consume (taken for
// acquire), the message is there when the flag is, and its accesses are ordered: 2 executions (flag seen or
// not). Relaxed, with only one half of a pair, or with fences of the wrong kinds, they race, although
// values are as under sequential consistency.
//@ revisions: acquire consume seq_cst acq_rel fences full_fences wrong_fences relaxed only_release only_acquire
//@[acquire] cflags: -std=c++20 -DSTORE=release -DLOAD=acquire
//@[consume] cflags: -std=c++20 -DSTORE=release -DLOAD=consume
//@[seq_cst] cflags: -std=c++20 -DSTORE=seq_cst -DLOAD=seq_cst
//@[acq_rel] cflags: -std=c++20 -DEXCHANGE=acq_rel
//@[fences] cflags: -std=c++20 -DSTORE=relaxed -DLOAD=relaxed -DBEFORE=release -DAFTER=acquire
//@[full_fences] cflags: -std=c++20 -DSTORE=relaxed -DLOAD=relaxed -DBEFORE=seq_cst -DAFTER=seq_cst
//@[wrong_fences] cflags: -std=c++20 -DSTORE=relaxed -DLOAD=relaxed -DBEFORE=acquire -DAFTER=release
//@[relaxed] cflags: -std=c++20 -DSTORE=relaxed -DLOAD=relaxed
//@[only_release] cflags: -std=c++20 -DSTORE=release -DLOAD=relaxed
//@[only_acquire] cflags: -std=c++20 -DSTORE=relaxed -DLOAD=acquire
//@ opt: O0 O2
//@[acquire] expect: verified
//@[consume] expect: verified
//@[seq_cst] expect: verified
//@[acq_rel] expect: verified
//@[fences] expect: verified
//@[full_fences] expect: verified
//@[wrong_fences] expect: bug
//@[relaxed] expect: bug
//@[only_release] expect: bug
//@[only_acquire] expect: bug
//@[acquire] executions: 2
//@[consume] executions: 2
//@[seq_cst] executions: 2
//@[acq_rel] executions: 2
//@[fences] executions: 2
//@[full_fences] executions: 2
//@[wrong_fences] kind: data-race
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
#ifdef BEFORE
    std::atomic_thread_fence(std::memory_order::BEFORE);
#endif
    flag.store(1, std::memory_order::STORE);
#endif
}

static bool is_set() {
#ifdef EXCHANGE
    return flag.fetch_add(0, std::memory_order::EXCHANGE) == 1;
#else
    bool set = flag.load(std::memory_order::LOAD) == 1;
#ifdef AFTER
    std::atomic_thread_fence(std::memory_order::AFTER);
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
