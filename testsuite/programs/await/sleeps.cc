// C++'s way to sleep, in a function that has to clean up: as in sleeps.c, 3 executions. Without optimization the time is
// a local variable that functions get, which the first turn makes: the second is the first that can be in vain, 3 as well.
//@ expect: verified
//@ executions: 3
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
