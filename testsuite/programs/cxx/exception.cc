// Exceptions thrown and caught in two threads at once, through frames with destructors.
//@ expect: verified
//@ executions: 1
//@ opt: O0 O2
#include <stdexcept>
#include <string>
#include <thread>

struct Counted {
    int *count;
    ~Counted() { ++*count; }
};

static __attribute__((noinline)) void fail(int depth, int *count) {
    Counted counted{count};
    if (depth == 0) throw std::runtime_error("bottom");
    fail(depth - 1, count);
}

static void work(int *count) {
    try {
        fail(3, count);
    } catch (const std::exception &error) {
        if (std::string(error.what()) != "bottom") *count = -1;
    }
}

int main() {
    int counts[2] = {0, 0};
    std::thread a(work, &counts[0]), b(work, &counts[1]);
    a.join();
    b.join();
    return counts[0] == 4 && counts[1] == 4 ? 0 : 1;
}
