// The gate of gate.c in C++: dpor::invariant and dpor::validate. The destructor leaves a number that the invariant forbids: it
// is not looked at when the object is given up, nor before it is made.
//@ revisions: right crowded left
//@[right] expect: verified
//@[right] program-args: --dpor-scenario=2x2
//@[crowded] expect: bug
//@[crowded] kind: invariant
//@[crowded] cflags: -DCROWDED
//@[crowded] message: invariant one inside does not hold
//@[left] expect: bug
//@[left] kind: invariant
//@[left] cflags: -DLEFT
//@[left] message: what should be so is not (nobody inside)
#include <atomic>
#include <dpor/scenario.hpp>

struct Gate {
    std::atomic<int> inside{7}, passed{0};
    Gate() { inside = 0; }
    ~Gate() { inside = 7; }
    void pass()
    {
#ifdef CROWDED
        inside++;
#else
        int nobody = 0;
        if (!inside.compare_exchange_strong(nobody, 1))
            return;
#endif
#ifdef LEFT
        if (passed++ > 0)
            return;
#endif
        inside--;
    }
};

DPOR_SCENARIO(Gate, dpor::operation("pass", [](auto &gate) { gate.pass(); }),
              dpor::invariant("one inside", [](const Gate &gate) { return gate.inside <= 1; }),
              dpor::validate("nobody inside", [](Gate &gate) { return gate.inside == 0; }))
