// A counter in two parts, which sum() reads one after the other. add(0) adds 1 to the first part, add(1) adds 2 to the
// second. By hand: while a thread sums up, others add to the first part, which was read already, and then to the second,
// which was not: the sum is 2, and only the second addition is in it. With one call of each of three threads, some order has
// that, but none that keeps which addition returned first. If one thread makes both additions, none keeps its order either.
// Nothing is quiet while sum() runs: `quiescent` allows both. The two additions touch nothing in common, so that no order of
// theirs is a part of the trace: what keeps it is which of them returned before the other began.
// `backwards`: sum() reads the second part first. Then the order that is wrong is the one in which add(1), the call of a
// later thread, returned before add(0) began.
//@ revisions: linear backwards orders orders_of_two quiet
//@[linear] expect: bug
//@[linear] kind: not-linearizable
//@[linear] message: sequentially consistent:
//@[linear] program-args: --dpor-scenario=3x1
//@[linear] golden: yes
//@[backwards] expect: bug
//@[backwards] kind: not-linearizable
//@[backwards] cflags: -DBACKWARDS
//@[backwards] message: sum() = 1
//@[backwards] program-args: --dpor-scenario=3x1
//@[orders] expect: verified
//@[orders] program-args: --dpor-scenario=3x1 --dpor-check=sequentially-consistent
//@[orders_of_two] expect: bug
//@[orders_of_two] kind: not-linearizable
//@[orders_of_two] program-args: --dpor-check=sequentially-consistent
//@[quiet] expect: verified
//@[quiet] program-args: --dpor-check=quiescent
#include <atomic>
#include <dpor/scenario.hpp>

struct Counter {
    std::atomic<int> parts[2] = {0, 0};
    void add(int part) { parts[part] += part + 1; }
    int sum()
    {
#ifdef BACKWARDS
        int second = parts[1];
        return parts[0] + second;
#else
        int first = parts[0];
        return first + parts[1];
#endif
    }
};

DPOR_SCENARIO(Counter, dpor::operation("add", [](auto &counter, int part) { counter.add(part); }, dpor::values(0, 1)),
              dpor::operation("sum", [](auto &counter) { return counter.sum(); }))
