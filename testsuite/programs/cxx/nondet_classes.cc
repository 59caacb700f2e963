// Values that are only compared with constants, in C++: a lambda, a thread, an enumeration made of one, and a bug that
// one number of 2^32 shows.
// [classes] a retry counter from outside: n == 0, n > 0 and n <= 2 tell 0, 1 to 2, more, and less apart. Each of two
// threads chooses by itself: 16 executions; 9 outcomes, since less and more are the same.
// [found] the assertion fails for 123456 only.
// [stub] the program has a function of this name: its value, and no other; 1.
//@ revisions: classes found stub
//@ opt: O0 O2
//@ replay: no
//@[classes] expect: verified
//@[classes] executions: 16
//@[classes] outcomes-distinct: 9
//@[found] expect: bug
//@[found] kind: assertion
//@[found] cflags: -DFOUND
//@[stub] expect: verified
//@[stub] executions: 1
//@[stub] outcomes: first=2 second=2
//@[stub] cflags: -DSTUB
#include <cassert>
#include <dpor.h>
#include <thread>

#ifdef STUB
extern "C" int __VERIFIER_nondet_int() { return 17; }
#else
extern "C" int __VERIFIER_nondet_int();
#endif

enum class Retries { none, few, many };

static Retries retries() {
    const int n = __VERIFIER_nondet_int();
#ifdef FOUND
    assert(n != 123456);
#endif
    if (n == 0) return Retries::none;
    return n > 0 && n <= 2 ? Retries::few : Retries::many;
}

int main() {
    Retries first, second;
    std::thread one([&] { first = retries(); }), other([&] { second = retries(); });
    one.join();
    other.join();
    dpor_observe("first", static_cast<int>(first));
    dpor_observe("second", static_cast<int>(second));
}
