// std::recursive_mutex, taken twice by each of two threads: the sections follow each other, 2 orders.
//@ opt: O0 O2
//@ cflags: -std=c++20
//@ expect: verified
//@ executions: 2
//@ outcomes: first=1 *1 | first=2 *1
#include <dpor.h>
#include <mutex>
#include <thread>

static std::recursive_mutex mutex;
static int entries, first;

static void twice(int who) {
    std::lock_guard<std::recursive_mutex> outer(mutex);
    if (entries++ == 0) first = who;
    std::lock_guard<std::recursive_mutex> inner(mutex);
    entries++;
}

int main() {
    std::thread thread(twice, 1);
    twice(2);
    thread.join();
    dpor_observe("first", first);
    return entries == 4 ? 0 : 1;
}
