// Two rounds of a condition variable at one place. Its destructor destroys it; nothing initializes the
// second one but its bytes.
// In the first round one signals before or after the other: 2. In the second, each makes it anew before, as far
// as nobody did: two events of each thread on one object, 4! / 2!^2 = 6.
//@ expect: verified
//@ opt: O0 O2
//@ executions: 12
#include <condition_variable>
#include <thread>

int main() {
    for (int round = 0; round < 2; round++) {
        std::condition_variable condition;
        std::thread thread([&] { condition.notify_one(); });
        condition.notify_all();
        thread.join();
    }
    return 0;
}
