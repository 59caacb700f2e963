// A parallel_for of two threads adds to a number: to an atomic one, or to one that is not.
#include <atomic>
#include <cassert>
#include <cstring>
#include <new>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

static void sum_up(bool is_racy) {
    oneapi::tbb::global_control two(oneapi::tbb::global_control::max_allowed_parallelism, 2);
    std::atomic<int> sum{0};
    int plain = 0;
    auto add = [&] (int k) { is_racy ? void(plain += k) : void(sum += k); };
    oneapi::tbb::parallel_for(0, 2, add, oneapi::tbb::simple_partitioner());
    assert(is_racy || sum == 1);
}

int main(int count, char **arguments) {
    oneapi::tbb::task_scheduler_handle handle{oneapi::tbb::attach{}};
    sum_up(count > 1 && !std::strcmp(arguments[1], "racy"));
    oneapi::tbb::finalize(handle, std::nothrow);
}
