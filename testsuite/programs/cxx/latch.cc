// std::latch: two threads count down, the creator waits for both, and everything they did is there.
// Counted by brute force (runtime/explorer/tests/library.rs): 66. Here all three access the word of
// the latch, the waiter several times; who counted down last reads whether anybody waits.
//@ opt: O0 O2
//@ cflags: -std=c++20
//@ expect: verified
//@ executions: 66
#include <latch>
#include <thread>

static std::latch done(2);
static int a, b;

int main() {
    std::thread one([] {
        a = 1;
        done.count_down();
    });
    std::thread two([] {
        b = 2;
        done.count_down();
    });
    done.wait();
    int sum = a + b;
    one.join();
    two.join();
    return sum == 3 ? 0 : 1;
}
