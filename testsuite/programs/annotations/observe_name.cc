// A name that is computed, and is another in each thread behind a byte that is no UTF-8: two names, not one that the last
// writer decides.
//
// The increments conflict (their results are used): 2 orders. Who comes first sees 0.
//
//@ opt: O1
//@ expect: verified
//@ executions: 2
//@ outcomes: \xc3\x01=0 \xc3\x02=1 | \xc3\x01=1 \xc3\x02=0
#include <atomic>
#include <dpor.h>
#include <string>
#include <thread>

static std::atomic<int> turn;

static void observe(char who)
{
    std::string name = "\xc3";
    name += who;
    dpor_observe(name.c_str(), turn++);
}

int main()
{
    std::thread other(observe, 1);
    observe(2);
    other.join();
}
