// C++'s way to sleep, in a function that has to clean up: as in sleeps.c, 2 executions and 1 blocked. Without
// optimization the time is a local variable that functions get, which the first turn makes: the second is the first that
// can be in vain, which makes as many. Counted by brute force, too: testsuite/tests/suite/waiting_for_others.rs.
//@ expect: verified
//@ executions: 2
//@ blocked: 1
//@ args: --reductions=none
//@ opt: O0 O1 O2
#include <atomic>
#include <chrono>
#include <thread>

static std::atomic<bool> flag;

int main() {
    std::thread thread([] { flag = true; });
    while (!flag) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    thread.join();
}
