// A function-local static is constructed once, by whoever comes first; the other waits for it and
// sees the result.
//@ expect: verified
//@ opt: O0 O2
//@ outcomes: built=1 sum=14
#include <dpor.h>
#include <thread>

int built;

struct Costly {
    int value;
    Costly() : value(7) { built++; }
};

static int use() {
    static Costly costly;
    return costly.value;
}

int main() {
    int seen[2];
    auto work = [](int *out) { *out = use(); };
    std::thread a(work, &seen[0]), b(work, &seen[1]);
    a.join();
    b.join();
    dpor_observe("built", built);
    dpor_observe("sum", seen[0] + seen[1]);
    return 0;
}
