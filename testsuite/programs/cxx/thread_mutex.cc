// std::thread and std::lock_guard: two sections, 2 orders.
//@ expect: verified
//@ executions: 2
//@ opt: O0 O2
//@ smoke: yes
#include <mutex>
#include <thread>

static std::mutex mutex;
int count;

int main() {
    auto work = [] {
        std::lock_guard<std::mutex> held(mutex);
        count++;
    };
    std::thread a(work), b(work);
    a.join();
    b.join();
    return count == 2 ? 0 : 1;
}
