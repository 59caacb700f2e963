// exit destroys static objects while a thread that nobody waits for uses them: a data race, in each order.
//
// heap: main waits until the thread has begun, which orders nothing that the thread does after that.
//@ revisions: object heap
//@[heap] cflags: -DHEAP
//@ opt: O0 O2
//@ expect: bug
//@ args: -k
//@ kind: data-race main-exits-early
#include <atomic>
#include <thread>
#include <vector>

static std::atomic<bool> begun{false};

#ifdef HEAP
static std::vector<int> history(4);
static void use() { history[1] = 1; }
static void wait() {
    while (!begun) {
    }
}
#else
struct Counter {
    int count = 0;
    ~Counter() { count++; } //~[object] race
};
static Counter counter;
static void use() { counter.count = 1; } //~[object] race
static void wait() {}
#endif

int main() {
    std::thread([] {
        begun = true;
        use();
    }).detach();
    wait();
}
