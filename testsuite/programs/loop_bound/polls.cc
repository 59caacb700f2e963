// The same in C++, with two places that are polled in turn: no loop that the checker knows to wait.
//@ expect: incomplete
//@ reason: iterations of each loop
//@ opt: O1
//@ checkpoint: snapshot
//@ parts: no
#include <mutex>
#include <thread>

static std::mutex mutex;
static int done, looks;

int main() {
    std::thread other([] {
        bool found = false;
        while (!found) {
            std::unique_lock<std::mutex> guard(mutex, std::try_to_lock);
            looks++;
            found = guard && done;
        }
    });
    {
        std::lock_guard<std::mutex> guard(mutex);
        done = 1;
    }
    other.join();
}
