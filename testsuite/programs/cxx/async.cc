// std::async: two functions on threads of their own and one that runs where its result is asked for,
// here before theirs are. Each takes a number: 3! orders. A result that is asked for is waited for by
// joining the thread, which adds no order.
//@ opt: O0 O2
//@ cflags: -std=c++20
//@ expect: verified
//@ executions: 6
//@ outcomes: one=1 two=2 late=30 *1 | one=1 two=3 late=20 *1 | one=2 two=1 late=30 *1 | one=2 two=3 late=10 *1 | one=3 two=1 late=20 *1 | one=3 two=2 late=10 *1
#include <atomic>
#include <dpor.h>
#include <future>

static std::atomic<int> next;

int main() {
    auto one = std::async(std::launch::async, [] { return ++next; });
    auto two = std::async(std::launch::async, [] { return ++next; });
    auto deferred = std::async(std::launch::deferred, [] { return 10 * ++next; });
    int late = deferred.get();
    dpor_observe("one", one.get());
    dpor_observe("two", two.get());
    dpor_observe("late", late);
    return 0;
}
