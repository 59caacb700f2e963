// 100 threads of C++, of which the last two have the lock, one after the other: 2.
//@ expect: verified
//@ executions: 2
#include <dpor.h>
#include <mutex>
#include <thread>
#include <vector>

int main() {
    std::mutex mutex;
    std::vector<std::thread> threads;
    int sum = 0;
    for (int n = 1; n <= 100; n++)
        threads.emplace_back([&, n] {
            if (n < 99) return;
            std::lock_guard<std::mutex> lock(mutex);
            sum += n;
        });
    for (auto &thread : threads) thread.join();
    dpor_assert(sum == 199);
    return 0;
}
