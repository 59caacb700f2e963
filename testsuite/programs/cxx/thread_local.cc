// A thread_local with constructor and destructor, in two threads and not in main: two of each.
// The counters are atomic: the two additions to each have 2 orders, and neither order of one
// excludes an order of the other: 4.
//@ expect: verified
//@ opt: O0 O2
//@ executions: 4
#include <atomic>
#include <thread>

static std::atomic<int> born, died;

struct Guest {
    int value = 7;
    Guest() { born++; }
    ~Guest() { died++; }
};

static thread_local Guest guest;

int main() {
    int seen[2];
    auto work = [](int *out) { *out = guest.value; };
    std::thread a(work, &seen[0]), b(work, &seen[1]);
    a.join();
    b.join();
    bool right = born == 2 && died == 2 && seen[0] == 7 && seen[1] == 7;
    return right ? 0 : 1;
}
