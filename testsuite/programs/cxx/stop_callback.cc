// A std::stop_callback comes and goes while the stop is requested: it is called (by the one thread or
// the other) or it is gone already. Its list is under a lock of one bit for which a thread waits without
// sleeping; executions in which it finds it taken are blocked, or there would be no end of them.
//@ opt: O0 O2
//@ cflags: -std=c++20
//@ expect: verified
//@ outcomes: called=0 first=1 | called=1 first=1
#include <atomic>
#include <dpor.h>
#include <stop_token>
#include <thread>

int main() {
    std::atomic<int> called{0};
    std::stop_source source;
    std::thread thread([&] { std::stop_callback callback(source.get_token(), [&] { called++; }); });
    bool first = source.request_stop();
    thread.join();
    dpor_observe("called", called);
    dpor_observe("first", first);
    return 0;
}
