// std::condition_variable_any with a predicate. The flag is there already, or the waiter takes the
// mutex inside the object before it gives up its own, so that the notification, which takes it too,
// comes after it joined the waiters: 2 executions.
//@ opt: O0 O2
//@ cflags: -std=c++20
//@ expect: verified
//@ executions: 2
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable_any changed;
static bool ready;

int main() {
    std::thread thread([] {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [] { return ready; });
    });
    {
        std::lock_guard<std::mutex> lock(mutex);
        ready = true;
    }
    changed.notify_one();
    thread.join();
    return 0;
}
