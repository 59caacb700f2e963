// Two threads request the stop of one std::stop_source, which has a std::stop_callback.
// One of them wins (2): it exchanges the state (locked, stop requested), unlocks and runs the
// callback. The loser reads the state before that exchange, fails to exchange it, and reads that the stop
// was requested: before or after the unlock (2); or it reads that at first: before or after the unlock
// (2). 2 * 4, and the callback runs once in each.
//@ opt: O0 O2
//@ cflags: -std=c++20
//@ expect: verified
//@ executions: 8
//@ outcomes: called=1 main=1 thread=0 *4 | called=1 main=0 thread=1 *4
#include <dpor.h>
#include <stop_token>
#include <thread>

int main() {
    std::stop_source source;
    int called = 0;
    bool wins = false;
    std::stop_callback callback(source.get_token(), [&] { called++; });
    std::thread thread([&] { wins = source.request_stop(); });
    bool main_wins = source.request_stop();
    thread.join();
    dpor_observe("called", called);
    dpor_observe("main", main_wins);
    dpor_observe("thread", wins);
    return 0;
}
