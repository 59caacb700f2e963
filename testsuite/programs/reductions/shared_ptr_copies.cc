// Each of N threads has a copy of a shared_ptr that is made when it is created, and drops it; the creator drops its own.
// What can differ is who is last. How many executions there are depends on libstdc++ (docs/decisions/0093).
//@ expect: verified
//@ workers: no
#include <memory>
#include <thread>
#include <vector>

#ifndef N
#define N 2
#endif

int main() {
    auto number = std::make_shared<int>(1);
    std::vector<std::thread> threads;
    for (int i = 0; i < N; i++) threads.emplace_back([number] {});
    number.reset();
    for (auto &thread : threads) thread.join();
}
