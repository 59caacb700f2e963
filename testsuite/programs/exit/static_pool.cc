// A global object owns a thread, which its destructor stops and joins: exit runs it after main has returned. Correct.
//@ revisions: global local
//@[local] cflags: -DLOCAL
//@ opt: O0 O2
//@ expect: verified
#include <condition_variable>
#include <mutex>
#include <thread>

class Pool {
    std::mutex mutex;
    std::condition_variable changed;
    bool stops = false;
    std::thread thread{[this] {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [this] { return stops; });
    }};

public:
    ~Pool() {
        {
            std::lock_guard<std::mutex> lock(mutex);
            stops = true;
        }
        changed.notify_one();
        thread.join();
    }
};

#ifdef LOCAL
static void use() { static Pool pool; }
#else
static Pool pool;
static void use() {}
#endif

int main() { use(); }
