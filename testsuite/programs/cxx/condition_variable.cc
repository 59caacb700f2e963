// std::condition_variable with a predicate: the waiter waits, or the flag is there already: 2.
//@ expect: verified
//@ opt: O0 O2
//@ executions: 2
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable ready;
bool flag;
int data;

int main() {
    std::thread waiter([] {
        std::unique_lock<std::mutex> held(mutex);
        ready.wait(held, [] { return flag; });
        data++;
    });
    {
        std::lock_guard<std::mutex> held(mutex);
        data = 1;
        flag = true;
        ready.notify_one();
    }
    waiter.join();
    return data == 2 ? 0 : 1;
}
