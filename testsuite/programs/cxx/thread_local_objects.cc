// thread_local objects with destructors: each thread has its own, made at first use, destroyed when it
// ends, before it can be joined. Each of two threads counts up the living (A), all that were made
// (M), and down the living (D), in this order. The A and D are in one of 6 orders; if one thread's
// come before the other's, so do the M (2 of the 6), otherwise the M are in either order: 2 + 4 * 2.
//@ opt: O0 O2
//@ cflags: -std=c++20
//@ expect: verified
//@ executions: 10
//@ outcomes: alive=0 made=2 *10
#include <atomic>
#include <dpor.h>
#include <thread>

static std::atomic<int> alive, made;

struct Counted {
    int uses = 0;
    Counted() {
        alive++;
        made++;
    }
    ~Counted() { alive--; }
};

static thread_local Counted counted;

int main() {
    std::thread one([] { counted.uses++; });
    std::thread two([] { counted.uses++; });
    one.join();
    two.join();
    dpor_observe("alive", alive);
    dpor_observe("made", made);
    return 0;
}
