// A mutex, a condition variable, a shared_ptr and a thread_local variable of C++'s library. The thread that waits comes to
// the mutex first, and waits, or second, and does not: 2 executions.
//@ expect: verified
//@ executions: 2
//@ opt: O0 O2
#include <cassert>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
static std::mutex mutex;
static std::condition_variable changed;
static bool ready;
static thread_local int own = 3;
int main() {
    auto shared = std::make_shared<int>(5);
    std::thread other([shared] {
        own += *shared;
        std::lock_guard<std::mutex> guard(mutex);
        ready = true;
        changed.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [] { return ready; });
    }
    other.join();
    assert(own == 3 && shared.use_count() == 1);
}
