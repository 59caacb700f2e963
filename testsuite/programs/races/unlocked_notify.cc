// As unlocked_signal.c, with C++'s condition variables. Plain: the notification orders nothing. Any: the one for any lock
// has a mutex of its own, in the library's code, which orders the two as long as nobody wakes by itself: the race is found
// where somebody does. Test: written under the mutex, and tested: the setter's section is first, or in the wait.
//@ revisions: plain any test
//@[plain] expect: bug
//@[plain] kind: data-race deadlock lost-wakeup
//@[plain] args: -k
//@[plain] cflags: -std=c++17
//@[any] expect: bug
//@[any] kind: data-race deadlock lost-wakeup
//@[any] args: -k --spurious=1
//@[any] cflags: -std=c++17 -DANY
//@[test] expect: verified
//@[test] executions: 2
//@[test] cflags: -std=c++17 -DTEST
#include <condition_variable>
#include <mutex>
#include <thread>

#ifdef ANY
using Condition = std::condition_variable_any;
#else
using Condition = std::condition_variable;
#endif

static std::mutex mutex;
static Condition condition;
int data, seen;

int main() {
    std::thread a([] {
        std::unique_lock<std::mutex> lock(mutex);
#ifdef TEST
        condition.wait(lock, [] { return data == 1; });
#else
        condition.wait(lock);
#endif
        seen = data;
    });
    std::thread b([] {
#ifdef TEST
        std::lock_guard<std::mutex> lock(mutex);
#endif
        data = 1;
        condition.notify_all();
    });
    a.join();
    b.join();
}
