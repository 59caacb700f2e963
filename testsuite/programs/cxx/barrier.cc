// std::barrier of two threads: who arrives first waits. That wait is atomic_flag_wait.cc's for a
// phase of one byte, 8 executions; the other thread counts itself in and out, too, but nobody looks
// then, and counting commutes. Who arrives first: 2 * 8.
//@ opt: O0 O2
//@ cflags: -std=c++20
//@ expect: verified
//@ args: --reductions=commute
//@ executions: 16
#include <barrier>
#include <thread>

static int a, b;

int main() {
    std::barrier<> meet(2);
    int x = 0;
    std::thread thread([&] {
        a = 1;
        meet.arrive_and_wait();
        x = b;
    });
    b = 2;
    meet.arrive_and_wait();
    int y = a;
    thread.join();
    return x + y == 3 ? 0 : 1;
}
