// std::atomic::wait and a store with notify_one or notify_all.
// The waiter counts itself in (I), looks (L), asks the kernel if it saw the old value (F), looks again,
// and counts itself out (O). The other thread stores (S), looks whether anybody is counted in (R), and
// wakes if so.
// S before L: R before I, between I and O, or after O: 3. L before S, F after S (it finds another
// value): R between I and O, or after O: 2. F before S: the waiter is counted in until it is woken: 1.
// 6 in all; looking several times before F would only repeat the second case.
//@ revisions: one all
//@[one] cflags: -std=c++20 -DNOTIFY=notify_one
//@[all] cflags: -std=c++20 -DNOTIFY=notify_all
//@ opt: O0 O2
//@ expect: verified
//@ executions: 6
//@ outcomes: seen=7 *6
#include <atomic>
#include <dpor.h>
#include <thread>

static std::atomic<int> cell;
static int message;

int main() {
    std::thread thread([] {
        cell.wait(0, std::memory_order_acquire);
        dpor_observe("seen", message);
    });
    message = 7;
    cell.store(1, std::memory_order_release);
    cell.NOTIFY();
    thread.join();
    return 0;
}
