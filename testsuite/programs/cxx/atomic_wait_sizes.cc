// std::atomic::wait of values that are no int, for which libstdc++ sleeps on a counter that atomics share: as many
// executions as with an int, 6, derived in atomic_wait.cc. The counter is raised by each notification, which nobody
// reads: that is ordered with nothing.
// [never] nobody notifies: where the thread sleeps before the store it does so for ever.
//@ revisions: byte long truth enumeration never
//@[byte] cflags: -std=c++20 -DT=uint8_t -DWAS=0 -DIS=1
//@[long] cflags: -std=c++20 -DT=uint64_t -DWAS=1ull<<40 -DIS=0
//@[truth] cflags: -std=c++20 -DT=bool -DWAS=false -DIS=true
//@[enumeration] cflags: -std=c++20 -DT=Color -DWAS=Color::red -DIS=Color::blue
//@[never] cflags: -std=c++20 -DT=uint16_t -DWAS=0 -DIS=1 -DNEVER
//@ opt: O0 O2
//@[byte] expect: verified
//@[byte] executions: 6
//@[long] expect: verified
//@[long] executions: 6
//@[truth] expect: verified
//@[truth] executions: 6
//@[enumeration] expect: verified
//@[enumeration] executions: 6
//@[never] expect: bug
//@[never] kind: deadlock
#include <atomic>
#include <cstdint>
#include <dpor.h>
#include <thread>

enum class Color : char { red, blue };

static std::atomic<T> cell{WAS};
static int message;

int main() {
    std::thread thread([] {
        cell.wait(WAS, std::memory_order_acquire);
        dpor_observe("seen", message);
    });
    message = 7;
    cell.store(IS, std::memory_order_release);
#ifndef NEVER
    cell.notify_one();
#endif
    thread.join();
}
