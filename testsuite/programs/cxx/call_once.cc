// std::call_once: one of two threads runs the function, both see what it wrote.
//@ expect: verified
//@ opt: O0 O2
//@ outcomes: calls=1
#include <dpor.h>
#include <mutex>
#include <thread>

static std::once_flag flag;
int calls;

int main() {
    auto work = [] {
        std::call_once(flag, [] { calls++; });
        dpor_assert(calls == 1);
    };
    std::thread a(work), b(work);
    a.join();
    b.join();
    dpor_observe("calls", calls);
    return 0;
}
