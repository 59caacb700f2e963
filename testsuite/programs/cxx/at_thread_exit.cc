// The value of a promise that a thread sets for its end. It is made ready by code of libstdc++.so, which has
// no hooks: what it stores is not seen to release, so that main's read of the value, which is ordered after
// it, is said to race. That should be verified; in `now`, where the program's own code makes it ready, it is.
//@ revisions: now at-exit
//@[now] cflags: -DSET=set_value
//@[now] expect: verified
//@[at-exit] known-gap: what libstdc++.so stores at a thread's end is not seen
//@[at-exit] cflags: -DSET=set_value_at_thread_exit
//@[at-exit] expect: bug
//@[at-exit] kind: data-race
#include <cassert>
#include <future>
#include <thread>

int main() {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread thread([&] { promise.SET(3); });
    assert(future.get() == 3);
    thread.join();
    return 0;
}
