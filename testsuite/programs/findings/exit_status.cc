// The same where the process ends at once, from another thread: one that finds the flag set ends it with status 7 while
// main may be anywhere. 2 accesses to the flag, in 2 orders; of the order in which it is set, the process ends before
// main's last store or after it: 3 executions.
//@ expect: verified
//@ executions: 3
//@ opt: O1
//@ args: --exit-status=7
#include <atomic>
#include <cstdlib>
#include <thread>

std::atomic<int> flag, last;

int main() {
    std::thread other([] {
        if (flag.load()) std::_Exit(7);
    });
    flag.store(1);
    last.store(1);
    other.join();
}
