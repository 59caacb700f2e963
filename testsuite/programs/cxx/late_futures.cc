// Two futures that are never ready. Who waits for a while, in vain, works in a place that only one may be in. It is
// so where the threads give up because nothing else can go on, one after the other; not where one of them does, and the
// other, which waits already, gives up early meanwhile.
//@ revisions: early none
//@[early] expect: bug
//@[early] kind: assertion
//@[none] expect: verified
//@[none] args: --timeouts=none
#include <atomic>
#include <cassert>
#include <chrono>
#include <future>
#include <thread>

static std::promise<int> never[2];
static std::atomic<int> inside;

static void wait_in_vain(int k) {
    auto future = never[k].get_future();
    assert(future.wait_for(std::chrono::seconds(1)) == std::future_status::timeout);
    assert(inside.exchange(1) == 0);
    inside.store(0);
}

int main() {
    std::thread first(wait_in_vain, 0), second(wait_in_vain, 1);
    first.join();
    second.join();
}
