// With NDEBUG an assert says nothing, so that a verdict without a word about it would say too much. The two threads read before
// they write (their results are used: 4 accesses of one atomic object), and the assertion fails where both read 0.
//
// Orders of two reads and two writes of one object: read, write, read, write (2: who comes first); both reads first and
// then the writes in 2 orders, in which reads commute with each other. 2 + 2 = 4, all with the last write observed by main's load.
//
// [on] 2 of them end with 1, and fail.
// [off] All pass.
//
//@ revisions: on off
//@ opt: O0 O2
//@[on] expect: bug
//@[on] kind: assertion
//@[on] args: -k
//@[on] executions: 2
//@[on] failed: 2
//@[off] expect: verified
//@[off] cflags: -DNDEBUG
//@[off] executions: 4
//@[off] note: assertions are compiled out (-DNDEBUG)
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> n;

static void next()
{
    n = n + 1;
}

int main()
{
    std::thread other(next);
    next();
    other.join();
    assert(n == 2);
}
